#!/usr/bin/env bash
# install_dependencies.sh: installs what is missing, on Debian 12 or Ubuntu 24.04 and later.
#
#   cmake/install_dependencies.sh GROUP...     GROUP is one of: build test python web bench lint fuzz hip package bare
#
# Where every package of the groups is installed it does nothing and asks for nothing. On other systems it names what is
# needed and leaves the rest to CMake, which says what it cannot find.
set -euo pipefail

declare -A packages=(
  [build]="g++ cmake ninja-build ccache pkg-config libhwy-dev libtbb-dev libpng-dev libjpeg-dev libtiff-dev libwebp-dev
           libopenexr-dev libgif-dev libavif-dev libcli11-dev libfmt-dev nlohmann-json3-dev libedit-dev libcpp-httplib-dev"
  [test]="libgtest-dev libgmock-dev librapidcheck-dev python3 ffmpeg"
  [python]="python3-dev python3-venv"
  [web]="chromium"
  [bench]="libopencv-dev"
  [lint]="clang-format clang-tidy"
  [fuzz]="clang"
  [hip]="hipcc libamdhip64-dev"
  [package]="dpkg-dev lintian"
  [bare]="mmdebstrap"
)

wanted=()
for group in "$@"; do
  if [[ -z ${packages[$group]:-} ]]; then
    echo "install_dependencies: unknown group '$group'; the groups are: ${!packages[*]}" >&2
    exit 2
  fi
  read -r -d '' -a names <<<"${packages[$group]}" || true
  wanted+=("${names[@]}")
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_dependencies: no apt-get here; these Debian packages, under their names on this system, are needed:" >&2
  echo "  ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

echo "Installing: ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install_dependencies: not root and no sudo; as root run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
# A fresh machine may still be installing its own updates: wait for its lock instead of failing.
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
# One unreachable source must not stop an installation that the other sources can serve.
"${apt[@]}" update || echo "install_dependencies: apt-get update failed; going on with the lists at hand" >&2
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}"
