#include "svc/core/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace svc {
namespace {

prometheus::Labels to_map(labels const& labels) {
  return {labels.begin(), labels.end()};
}

prometheus::Histogram::BucketBoundaries seconds_buckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

}  // namespace

void counter::add(double n) const {
  if (counter_ != nullptr) counter_->Increment(n);
}

void counter::raise_to(double total) const {
  if (counter_ != nullptr && total > counter_->Value()) counter_->Increment(total - counter_->Value());
}

void histogram::observe(double seconds) const {
  if (histogram_ != nullptr) histogram_->Observe(seconds);
}

void histogram::observe(std::vector<double> const& increments, double sum) const {
  if (histogram_ != nullptr) histogram_->ObserveMultiple(increments, sum);
}

void gauge::set(double value) const {
  if (gauge_ != nullptr) gauge_->Set(value);
}

void gauge::add(double value) const {
  if (gauge_ != nullptr) gauge_->Increment(value);
}

metrics::metrics() : registry_(std::make_shared<prometheus::Registry>(prometheus::Registry::InsertBehavior::Merge)) {}

metrics::~metrics() = default;

counter metrics::make_counter(std::string const& name, std::string const& help, labels const& labels) {
  return counter(&prometheus::BuildCounter().Name(name).Help(help).Register(*registry_).Add(to_map(labels)));
}

gauge metrics::make_gauge(std::string const& name, std::string const& help, labels const& labels) {
  return gauge(&prometheus::BuildGauge().Name(name).Help(help).Register(*registry_).Add(to_map(labels)));
}

histogram metrics::make_histogram(std::string const& name, std::string const& help, labels const& labels) {
  return make_histogram(name, help, labels, seconds_buckets());
}

histogram metrics::make_histogram(std::string const& name, std::string const& help, labels const& labels,
                                  std::vector<double> const& bounds) {
  return histogram(
      &prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_).Add(to_map(labels), bounds));
}

std::string metrics::expose() const {
  return prometheus::TextSerializer().Serialize(registry_->Collect());
}

}  // namespace svc
