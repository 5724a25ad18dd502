// photograph.cpp: the README's first program.
#include <halation/halation.h>
#include <halation/io.h>

int main() {
  using namespace halation;
  Image photo = read_image("astronaut.png");
  Image soft = convolve(photo, gaussian({.sigma = 2.0}), {.border = Border::replicate()});
  write_image("soft.png", soft);
}
