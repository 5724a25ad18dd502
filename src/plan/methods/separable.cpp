// separable.cpp: the method separable: along one axis after the other, filters that are a product of factors.
#include "plan/methods/factors.h"
#include "plan/methods/methods.h"

namespace halation::methods {

extern const MethodRecord separable;
const MethodRecord separable{
    .method = Method::separable,
    .form = Form::factors,
    .fits = is_product,
    .why_not = [](FilterAnalysis& analysis, const Job&) { return why_no_product(analysis); },
    .refusal = [](FilterAnalysis& analysis,
                  const Job& job) { return refusal_as_no_product(analysis, job, Method::separable); },
    .sketch = sketch_factors,
    .weigh = [](FilterAnalysis& analysis, const Job& job,
                const Where&) { return weigh_factors(analysis, job, Form::factors); },
    .words = words_of_factors};

}  // namespace halation::methods
