// rate_names.h: the figures of a row of rates, with their names in texts.
#pragma once

#include "cpu/rates.h"

namespace halation::cpu_backend {

/// Calls `use(name, figure)` for each.
template <class AnyRates, class Use>
void for_each_rate(AnyRates& rates, const Use& use) {
  use("vector_bytes", rates.vector_bytes);
  use("cached_bytes", rates.cached_bytes);
  use("all_cached_bytes", rates.all_cached_bytes);
  use("softness", rates.softness);
  use("memory_byte", rates.memory_byte);
  use("all_memory_byte", rates.all_memory_byte);
  use("threads_from", rates.threads_from);
  use("start", rates.start);
  use("run", rates.run);
  use("outside_sample", rates.outside_sample);
  use("load.integer", rates.load.integer);
  use("load.f16", rates.load.f16);
  use("load.other", rates.load.other);
  use("store.integer", rates.store.integer);
  use("store.f16", rates.store.f16);
  use("store.other", rates.store.other);
  use("lines.row", rates.lines.row);
  use("lines.staged_row", rates.lines.staged_row);
  use("lines.pass", rates.lines.pass);
  use("lines.row_alone", rates.lines.row_alone);
  use("lines.shared_line", rates.lines.shared_line);
  use("lines.direct_tap", rates.lines.direct_tap);
  use("lines.direct", rates.lines.direct);
  use("lines.column_tap", rates.lines.column_tap);
  use("lines.column", rates.lines.column);
  use("lines.row_tap", rates.lines.row_tap);
  use("lines.row_sum", rates.lines.row_sum);
  use("line_boxes.row", rates.line_boxes.row);
  use("line_boxes.low_column_tap", rates.line_boxes.low_column_tap);
  use("line_boxes.low_column", rates.line_boxes.low_column);
  use("line_boxes.low_row_doubling", rates.line_boxes.low_row_doubling);
  use("line_boxes.low_row", rates.line_boxes.low_row);
  use("line_boxes.doubling", rates.line_boxes.doubling);
  use("line_boxes.sum", rates.line_boxes.sum);
  use("line_boxes.column_tap", rates.line_boxes.column_tap);
  use("line_boxes.column", rates.line_boxes.column);
  use("line_boxes.block", rates.line_boxes.block);
  use("running.slid_row", rates.running.slid_row);
  use("running.slide_doubling", rates.running.slide_doubling);
  use("running.slide", rates.running.slide);
  use("running.row", rates.running.row);
  use("running.byte_doubling", rates.running.byte_doubling);
  use("running.byte", rates.running.byte);
  use("running.sum16", rates.running.sum16);
  use("running.sum32", rates.running.sum32);
  use("running.integer", rates.running.integer);
  use("running.other", rates.running.other);
  use("running.begun", rates.running.begun);
  use("int8.row", rates.int8.row);
  use("int8.sums16_column", rates.int8.sums16_column);
  use("int8.sums16_row", rates.int8.sums16_row);
  use("int8.sums16_direct", rates.int8.sums16_direct);
  use("int8.column_pair", rates.int8.column_pair);
  use("int8.column", rates.int8.column);
  use("int8.row_pair", rates.int8.row_pair);
  use("int8.row_sum", rates.int8.row_sum);
  use("int8.direct_pair", rates.int8.direct_pair);
  use("int8.direct", rates.int8.direct);
  use("int8.paired", rates.int8.paired);
  use("int8.row_apart", rates.int8.row_apart);
  use("int8.matrix", rates.int8.matrix);
  use("int8.matrices", rates.int8.matrices);
  use("int8.grouped", rates.int8.grouped);
  use("int8.windows", rates.int8.windows);
  use("axis_start", rates.axis_start);
  use("axis_sample", rates.axis_sample);
  use("axis.multiply_add", rates.axis.multiply_add);
  use("axis.single", rates.axis.single);
  use("axis.box", rates.axis.box);
  use("axis.copied_sample", rates.axis.copied_sample);
  use("axis.outside_sample", rates.axis.outside_sample);
  use("axis.gathered_sample", rates.axis.gathered_sample);
  use("axis.call", rates.axis.call);
  use("axis_takes.multiply_add", rates.axis_takes.multiply_add);
  use("axis_takes.single", rates.axis_takes.single);
  use("axis_takes.box", rates.axis_takes.box);
  use("axis_takes.copied_sample", rates.axis_takes.copied_sample);
  use("axis_takes.outside_sample", rates.axis_takes.outside_sample);
  use("axis_takes.gathered_sample", rates.axis_takes.gathered_sample);
  use("axis_takes.call", rates.axis_takes.call);
  use("transforms.radix2", rates.transforms.radix2);
  use("transforms.radix3", rates.transforms.radix3);
  use("transforms.radix4", rates.transforms.radix4);
  use("transforms.radix5", rates.transforms.radix5);
  use("transforms.radix8", rates.transforms.radix8);
  use("transforms.turned", rates.transforms.turned);
  use("transforms.folded", rates.transforms.folded);
  use("transforms.product", rates.transforms.product);
  use("transforms.staged", rates.transforms.staged);
  use("transforms.strided", rates.transforms.strided);
  use("transforms.row", rates.transforms.row);
  use("transforms.tile", rates.transforms.tile);
  use("transforms.l2_bytes", rates.transforms.l2_bytes);
  use("transforms.beyond_l2", rates.transforms.beyond_l2);
  use("transforms.l3_bytes", rates.transforms.l3_bytes);
  use("transforms.beyond_l3", rates.transforms.beyond_l3);
  use("transforms.outputs_by_taps", rates.transforms.outputs_by_taps);
  use("transforms.outliers", rates.transforms.outliers);
  use("transforms.marks", rates.transforms.marks);
}

}  // namespace halation::cpu_backend
