#include "svc/output/output_writer.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runner_store.hpp"

namespace svc::runner_api {
namespace {

std::vector<output::output_line> lines_of(boost::json::array const& given) {
  std::vector<output::output_line> out;
  out.reserve(given.size());
  for (auto const& line : given) {
    out.push_back(
        {line.at("seq").to_number<std::int64_t>(),
         line.at("stream").as_string() == "stdout" ? output::output_stream::out : output::output_stream::err,
         std::string(line.at("text").as_string())});
  }
  return out;
}

}  // namespace

task<result<reply>> append_output(call& c) {
  auto const run = c.run();
  auto const held = co_await c.use.runners.look(c.secret, run, c.claim(), c.until);
  if (!held) co_return held.error();
  auto const done = co_await c.use.output.append(run, held->attempt, lines_of(c.body.at("lines").as_array()), c.until,
                                                 held->project);
  switch (done.verdict) {
    case output::append_verdict::accepted:
      co_return reply{.body = {{"through", done.through}}};
    case output::append_verdict::superseded:
    case output::append_verdict::ended:
      co_return errc::claim_lost;
    case output::append_verdict::lost:
      break;
  }
  throw unavailable("Redis did not take the output in time");
}

}  // namespace svc::runner_api
