// worked_example.cpp: the textbook's 7x7 image under its 5x5 mask gives 321 at row 2, column 2.
#include <cstdint>
#include <cstdio>

#include <halation/halation.h>

int main() {
  using namespace halation;
  const std::uint8_t pixels[] = {1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6, 7,
                                 8, 5, 6, 5, 6, 7, 8, 5, 6, 7, 6, 7, 8, 9, 0, 1, 2, 7, 8, 9, 0, 1, 2, 3};
  const Filter mask = parse_weights("1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1");
  const Image out = convolve(view_of(pixels, {.height = 7, .width = 7}), mask,
                             {.border = Border::constant(0), .output = Pixel::f32});
  const float value = out.view().at<float>({.y = 2, .x = 2});
  std::printf("row 2, column 2: %g\n", value);
  return value == 321 ? 0 : 1;
}
