#!/usr/bin/env bash
# demo.sh: filters the photograph beside it, times the ladder's rungs, and says where pictures and report are.
# Usage: demo.sh HALATION OUTPUT_FOLDER
set -euo pipefail

halation=$1
out=$2
photo="$(dirname "$0")/astronaut.png"
mkdir -p "$out"

# show FILTER [ARGUMENT...]: the result as FILTER.png, original and result side by side as FILTER_compare.png
show() {
  local command=("$halation" apply "$1" "$photo" -o "$out/$1.png" "${@:2}" --compare "$out/$1_compare.png" --timing)
  printf '\n$ %s\n' "${command[*]}"
  "${command[@]}" 2>&1
}

show unsharp_mask --sigma 2 --amount 1.5
show gaussian --sigma 4
show edges

ladder=("$halation" ladder --size 1024x1024 --report "$out/ladder.html")
printf '\n$ %s\n' "${ladder[*]}"
"${ladder[@]}" > "$out/ladder.txt"

printf '\nThe rungs of the ladder, timed on this machine:\n  %s\n' "$out/ladder.html"
printf '\nThe pictures:\n'
printf '  %s\n' "$out"/{unsharp_mask,gaussian,edges}{,_compare}.png
printf '\nTo call halation from anywhere: make install, or\n  alias halation=%s\n' "$(realpath "$halation")"
