// kept_plans.h: plans of the latest calls of `convolve` and `correlate`, for calls like them.
#pragma once

#include "halation/plan.h"

namespace halation {

/// The plan for a job: that of an earlier call where it is kept, else a new one. Any thread may call.
Plan plan_kept_for(const PlanSpec& spec);

/// No plan for this device is kept any longer: it has gone, or what lay on it.
void forget_plans_for(Device device);

}  // namespace halation
