#include "svc/core/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace svc {
namespace {

prometheus::Labels to_map(labels const& with) {
  return {with.begin(), with.end()};
}

prometheus::Histogram::BucketBoundaries seconds_buckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

}  // namespace

void counter::add(double n) const {
  if (of_ != nullptr) of_->Increment(n);
}

void counter::raise_to(double total) const {
  if (of_ != nullptr && total > of_->Value()) of_->Increment(total - of_->Value());
}

void histogram::observe(double seconds) const {
  if (of_ != nullptr) of_->Observe(seconds);
}

void histogram::observe(std::vector<double> const& increments, double sum) const {
  if (of_ != nullptr) of_->ObserveMultiple(increments, sum);
}

void gauge::set(double value) const {
  if (of_ != nullptr) of_->Set(value);
}

void gauge::add(double value) const {
  if (of_ != nullptr) of_->Increment(value);
}

metrics::metrics() : registry_(std::make_shared<prometheus::Registry>(prometheus::Registry::InsertBehavior::Merge)) {}

metrics::~metrics() = default;

counter metrics::make_counter(std::string const& name, std::string const& help, labels const& with) {
  return counter(&prometheus::BuildCounter().Name(name).Help(help).Register(*registry_).Add(to_map(with)));
}

gauge metrics::make_gauge(std::string const& name, std::string const& help, labels const& with) {
  return gauge(&prometheus::BuildGauge().Name(name).Help(help).Register(*registry_).Add(to_map(with)));
}

histogram metrics::make_histogram(std::string const& name, std::string const& help, labels const& with) {
  return make_histogram(name, help, with, seconds_buckets());
}

histogram metrics::make_histogram(std::string const& name, std::string const& help, labels const& with,
                                  std::vector<double> const& bounds) {
  return histogram(
      &prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_).Add(to_map(with), bounds));
}

std::string metrics::expose() const {
  return prometheus::TextSerializer().Serialize(registry_->Collect());
}

}  // namespace svc
