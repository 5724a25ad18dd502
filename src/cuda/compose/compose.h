// compose.h: jobs done as several smaller ones, which the table is asked for.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// Several filters, one after the other, each with its own output, or with sums that are combined.
extern const Family filter_by_filter;
/// A filter by factors along some axes, then along the last; sums between them lie in the workspace, channel by channel or
/// inside of pixels.
extern const Family axis_by_axis, axis_by_axis_pixels;
/// What its parts that are done by transforms round; 0 samples of jobs that it does not do so.
TransformFacts facts_of_axes(const Job& job, const Gpu& gpu);
/// A filter by a factor or by transforms along depth alone, over views whose depth and height are changed for one another.
extern const Family depth_for_height;
/// A filter by factors along one axis alone, as one of dense weights.
extern const Family one_factor_dense;
/// A long box of equal weights along x over other pixels than f32, which become f32 first.
extern const Family through_f32;

}  // namespace halation::cuda_backend
