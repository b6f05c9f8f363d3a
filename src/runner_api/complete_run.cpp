#include "svc/dispatch/dispatcher.hpp"
#include "svc/output/output_writer.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runner_store.hpp"

namespace svc::runner_api {
namespace {

/// With ids as they are stored, so that the database compares texts.
std::string results_of(boost::json::array const& given) {
  boost::json::array out;
  for (auto const& one : given) {
    auto result = one.as_object();
    result["id"] = uuid::parse(result.at("id").as_string()).value().to_string();
    out.push_back(std::move(result));
  }
  return boost::json::serialize(out);
}

}  // namespace

task<result<reply>> complete_run(call& c) {
  auto const run = c.run();
  auto const status = c.text("status");
  run_completion what{
      .run = run, .claim = c.claim(), .status = status, .tests = results_of(c.body.at("tests").as_array())};
  if (c.body.contains("errorDetails")) what.error_details = c.text("errorDetails");
  auto const done = co_await c.use.runners.complete(c.secret, std::move(what), c.until);
  if (!done) co_return done.error();
  if (done->now) {
    if (done->work) c.use.dispatch.queued(*done->work);
    c.use.output.finish_soon(run, done->attempt, status, c.number("lastSeq"));
  }
  co_return reply{.status = 204};
}

}  // namespace svc::runner_api
