// butterflies-inl.h: transforms of 2, 3, 4, 5 and 8 points in registers, for each instruction set. Included within the namespace of a
// target.

/// (re, im) times (c, s).
template <class D, class V>
HWY_INLINE void multiply_by(D d, V& re, V& im, const hn::TFromD<D>* root) {
  const V c = hn::Set(d, root[0]);
  const V s = hn::Set(d, root[1]);
  const V product = hn::NegMulAdd(im, s, hn::Mul(re, c));
  im = hn::MulAdd(im, c, hn::Mul(re, s));
  re = product;
}

template <class D, class V>
HWY_INLINE void four(D, V& re0, V& im0, V& re1, V& im1, V& re2, V& im2, V& re3, V& im3) {
  const V a_re = hn::Add(re0, re2), a_im = hn::Add(im0, im2);
  const V b_re = hn::Sub(re0, re2), b_im = hn::Sub(im0, im2);
  const V c_re = hn::Add(re1, re3), c_im = hn::Add(im1, im3);
  const V e_re = hn::Sub(re1, re3), e_im = hn::Sub(im1, im3);
  re0 = hn::Add(a_re, c_re), im0 = hn::Add(a_im, c_im);
  re2 = hn::Sub(a_re, c_re), im2 = hn::Sub(a_im, c_im);
  re1 = hn::Add(b_re, e_im), im1 = hn::Sub(b_im, e_re);
  re3 = hn::Sub(b_re, e_im), im3 = hn::Add(b_im, e_re);
}

/// y_q = Σ_p x_p e^{−2πi pq/R}, in place.
template <int R, class D, class V>
HWY_INLINE void butterfly(D d, V (&re)[R], V (&im)[R]) {
  using T = hn::TFromD<D>;
  const auto sum_and_difference = [](V& a, V& b) {
    const V sum = hn::Add(a, b);
    b = hn::Sub(a, b);
    a = sum;
  };
  if constexpr (R == 2) {
    sum_and_difference(re[0], re[1]);
    sum_and_difference(im[0], im[1]);
  } else if constexpr (R == 3) {
    const V half = hn::Set(d, static_cast<T>(-0.5));
    const V root = hn::Set(d, static_cast<T>(0.8660254037844386467637231707529362L));
    sum_and_difference(re[1], re[2]);
    sum_and_difference(im[1], im[2]);
    const V mid_re = hn::MulAdd(half, re[1], re[0]), mid_im = hn::MulAdd(half, im[1], im[0]);
    const V turn_re = hn::Mul(root, im[2]), turn_im = hn::Mul(root, re[2]);
    re[0] = hn::Add(re[0], re[1]), im[0] = hn::Add(im[0], im[1]);
    re[1] = hn::Add(mid_re, turn_re), im[1] = hn::Sub(mid_im, turn_im);
    re[2] = hn::Sub(mid_re, turn_re), im[2] = hn::Add(mid_im, turn_im);
  } else if constexpr (R == 4) {
    four(d, re[0], im[0], re[1], im[1], re[2], im[2], re[3], im[3]);
  } else if constexpr (R == 5) {
    const V c1 = hn::Set(d, static_cast<T>(0.3090169943749474241022934171828191L));
    const V c2 = hn::Set(d, static_cast<T>(-0.8090169943749474241022934171828191L));
    const V s1 = hn::Set(d, static_cast<T>(0.9510565162951535721164393333793821L));
    const V s2 = hn::Set(d, static_cast<T>(0.5877852522924731291687059546390728L));
    for (const int p : {1, 2}) {
      sum_and_difference(re[p], re[5 - p]);
      sum_and_difference(im[p], im[5 - p]);
    }
    const V a_re = hn::MulAdd(c2, re[2], hn::MulAdd(c1, re[1], re[0])), a_im = hn::MulAdd(c2, im[2], hn::MulAdd(c1, im[1], im[0]));
    const V b_re = hn::MulAdd(c1, re[2], hn::MulAdd(c2, re[1], re[0])), b_im = hn::MulAdd(c1, im[2], hn::MulAdd(c2, im[1], im[0]));
    const V e_re = hn::MulAdd(s2, im[3], hn::Mul(s1, im[4])), e_im = hn::MulAdd(s2, re[3], hn::Mul(s1, re[4]));
    const V f_re = hn::NegMulAdd(s1, im[3], hn::Mul(s2, im[4])), f_im = hn::NegMulAdd(s1, re[3], hn::Mul(s2, re[4]));
    re[0] = hn::Add(re[0], hn::Add(re[1], re[2])), im[0] = hn::Add(im[0], hn::Add(im[1], im[2]));
    re[1] = hn::Add(a_re, e_re), im[1] = hn::Sub(a_im, e_im);
    re[4] = hn::Sub(a_re, e_re), im[4] = hn::Add(a_im, e_im);
    re[2] = hn::Add(b_re, f_re), im[2] = hn::Sub(b_im, f_im);
    re[3] = hn::Sub(b_re, f_re), im[3] = hn::Add(b_im, f_im);
  } else {
    static_assert(R == 8);
    four(d, re[0], im[0], re[2], im[2], re[4], im[4], re[6], im[6]);
    four(d, re[1], im[1], re[3], im[3], re[5], im[5], re[7], im[7]);
    // y_q = e_q + e^{−2πi q/8} o_q, y_{q+4} = e_q − …; e in 0 2 4 6, o in 1 3 5 7.
    const V root = hn::Set(d, static_cast<T>(0.7071067811865475244008443621048490L));
    const V a = hn::Add(re[3], im[3]), b = hn::Sub(im[3], re[3]);
    const V c = hn::Sub(im[7], re[7]), e = hn::Add(re[7], im[7]);
    const V y0_re = hn::Add(re[0], re[1]), y0_im = hn::Add(im[0], im[1]);
    const V y4_re = hn::Sub(re[0], re[1]), y4_im = hn::Sub(im[0], im[1]);
    const V y1_re = hn::MulAdd(root, a, re[2]), y1_im = hn::MulAdd(root, b, im[2]);
    const V y5_re = hn::NegMulAdd(root, a, re[2]), y5_im = hn::NegMulAdd(root, b, im[2]);
    const V y2_re = hn::Add(re[4], im[5]), y2_im = hn::Sub(im[4], re[5]);
    const V y6_re = hn::Sub(re[4], im[5]), y6_im = hn::Add(im[4], re[5]);
    const V y3_re = hn::MulAdd(root, c, re[6]), y3_im = hn::NegMulAdd(root, e, im[6]);
    const V y7_re = hn::NegMulAdd(root, c, re[6]), y7_im = hn::MulAdd(root, e, im[6]);
    re[0] = y0_re, re[1] = y1_re, re[2] = y2_re, re[3] = y3_re, re[4] = y4_re, re[5] = y5_re, re[6] = y6_re, re[7] = y7_re;
    im[0] = y0_im, im[1] = y1_im, im[2] = y2_im, im[3] = y3_im, im[4] = y4_im, im[5] = y5_im, im[6] = y6_im, im[7] = y7_im;
  }
}
