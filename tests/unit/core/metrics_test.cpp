#include "svc/core/metrics.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("metrics are written in the text format, and the same labels mean the same counter") {
  metrics m;
  m.make_counter("svc_test_total", "Help", {{"kind", "a"}}).add();
  m.make_counter("svc_test_total", "Help", {{"kind", "a"}}).add(2);
  auto const followed = m.make_counter("svc_followed_total", "Help");
  for (double const total : {5.0, 3.0, 6.0}) followed.raise_to(total);
  m.make_gauge("svc_level", "Help").set(7);
  m.make_histogram("svc_seconds", "Help").observe(0.002);
  m.make_histogram("svc_counted", "Help", {}, {0.01, 0.02}).observe({5, 0, 2}, 0.5);
  auto const text = m.expose();
  CHECK(text.find("svc_test_total{kind=\"a\"} 3") != text.npos);
  CHECK(text.find("svc_followed_total 6") != text.npos);
  CHECK(text.find("svc_level 7") != text.npos);
  CHECK(text.find("svc_seconds_bucket{le=\"0.0025\"} 1") != text.npos);
  CHECK(text.find("svc_counted_bucket{le=\"0.02\"} 5") != text.npos);
  CHECK(text.find("svc_counted_bucket{le=\"+Inf\"} 7") != text.npos);
  CHECK(text.find("svc_counted_sum 0.5") != text.npos);
}
