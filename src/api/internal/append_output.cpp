#include "svc/api/internal.hpp"
#include "svc/live/output_writer.hpp"
#include "svc/store/executor_store.hpp"

namespace svc::api::internal {
namespace {

std::vector<live::output_line> lines_of(boost::json::array const& given) {
  std::vector<live::output_line> out;
  out.reserve(given.size());
  for (auto const& line : given) {
    out.push_back({line.at("seq").to_number<std::int64_t>(),
                   line.at("stream").as_string() == "stdout" ? live::output_stream::out : live::output_stream::err,
                   std::string(line.at("text").as_string())});
  }
  return out;
}

}  // namespace

task<result<reply>> append_output(call& c) {
  auto const run = c.run();
  auto const held = co_await c.use.executors.look(c.secret, run, c.claim(), c.until);
  if (!held) co_return held.error();
  auto const done = co_await c.use.output.append(run, held->attempt, lines_of(c.body.at("lines").as_array()), c.until,
                                                 held->project);
  switch (done.verdict) {
    case live::append_verdict::accepted:
      co_return reply{.body = {{"through", done.through}}};
    case live::append_verdict::superseded:
    case live::append_verdict::ended:
      co_return errc::claim_lost;
    case live::append_verdict::lost:
      break;
  }
  throw unavailable("Redis did not take the output in time");
}

}  // namespace svc::api::internal
