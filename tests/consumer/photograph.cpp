// photograph.cpp: docs/library.md's first program; its three lines of work open the README.
#include <halation/halation.h>
#include <halation/io.h>

int main() {
  using namespace halation;
  Image photo = read_image("astronaut.png");
  Image soft = convolve(photo, gaussian({.sigma = 4.0}));
  write_image("soft.png", soft);
}
