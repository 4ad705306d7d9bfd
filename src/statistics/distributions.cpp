#include "src/statistics/distributions.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace bench_transfers::statistics {

namespace math = boost::math;

double students_t::density(double x) const { return math::pdf(math::students_t(degrees), x); }

double students_t::above(double x) const {
  return math::cdf(math::complement(math::students_t(degrees), x));
}

double students_t::quantile(double p) const { return math::quantile(math::students_t(degrees), p); }

double students_t::exceeded_by(double p) const {
  return math::quantile(math::complement(math::students_t(degrees), p));
}

double normal_quantile(double p) { return math::quantile(math::normal(), p); }

double normal_exceeded_by(double p) { return math::quantile(math::complement(math::normal(), p)); }

double beta_quantile(double a, double b, double p) {
  return math::quantile(math::beta_distribution<>(a, b), p);
}

double f_above(double first_degrees, double second_degrees, double x) {
  return math::cdf(math::complement(math::fisher_f(first_degrees, second_degrees), x));
}

double binomial_at_least(double trials, double p, double least) {
  return math::cdf(math::complement(math::binomial(trials, p), least - 1));
}

double binomial_coefficient(unsigned n, unsigned k) {
  return math::binomial_coefficient<double>(n, k);
}

double poisson_at_least(double expected, double least) {
  return math::cdf(math::complement(math::poisson(expected), least - 1));
}

double digamma(double x) { return math::digamma(x); }

double trigamma(double x) { return math::trigamma(x); }

double tetragamma(double x) { return math::polygamma(2, x); }

}  // namespace bench_transfers::statistics
