// halation.h: the whole public library but for files (halation/io.h).
#pragma once

#include "halation/border.h"
#include "halation/colour.h"
#include "halation/convolve.h"
#include "halation/device.h"
#include "halation/display.h"
#include "halation/error.h"
#include "halation/filter.h"
#include "halation/filters.h"
#include "halation/image.h"
#include "halation/pixel.h"
#include "halation/plan.h"
#include "halation/stream.h"
#include "halation/threads.h"
#include "halation/transfer.h"
