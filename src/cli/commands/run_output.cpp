#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"
#include "cli/events/run_report.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/parse.hpp>

#include <utility>

namespace svc::cli {
namespace {

/// The longest accepted line in bytes: longer than any line that the service stores, so that a broken answer cannot
/// fill the memory.
constexpr std::size_t longest_output_line = std::size_t{4} << 20;

struct output_arguments {
  std::string run;
  bool raw = false;
};

/// Writes a run's output during the transfer, line by line, each from a line of NDJSON.
class output_printer {
 public:
  output_printer(console& console, bool raw) : console_(console), raw_(raw) {}

  bool take(std::string_view bytes) {
    rest_ += bytes;
    std::size_t begin = 0;
    for (auto end = rest_.find('\n'); end != rest_.npos; end = rest_.find('\n', begin)) {
      line(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() > longest_output_line)
      throw failure(exit_code::unreachable, "not_the_service",
                    "A line of the output is longer than the service allows.");
    return true;
  }
  void end() {
    if (!rest_.empty()) line(std::exchange(rest_, {}));
    // The colours of the last line end with the output.
    if (console_.colour_out() && !raw_ && console_.how() == format::text) console_.data("\x1b[0m");
  }

 private:
  void line(std::string_view json) {
    auto const event = object_of(json);
    if (console_.how() == format::json)
      return console_.data_line(console_.out_is_terminal() ? harmless(json) : std::string(json));
    auto const* const text = member_of(event, "line");
    if (auto const notice = attempts_.before(text_of_member(event.get_object(), "id")); !notice.empty()) {
      console_.flush();
      console_.beside(notice);
    }
    if (text == nullptr || !text->is_string()) return console_.warn("some lines are lost here.");
    if (console_.how() == format::templated)
      return console_.data_line(harmless(expanded(console_.template_text(), event), false, true));
    auto const& printed = text->get_string();
    console_.data_line(raw_ ? std::string(printed) : harmless(printed, console_.colour_out()));
  }

  console& console_;
  bool raw_;
  std::string rest_;
  attempt_notice attempts_{};
};

exit_code print_output(context& cx, output_arguments const& given) {
  output_printer printer(cx.console, given.raw);
  auto const ended = cx.client().stream(
      {.method = "GET",
       .target = target_of(cx, run_resource(), given.run, "/output"),
       .fields = {{"Accept", "application/x-ndjson"}}},
      [&](std::string_view bytes) { return printer.take(bytes); }, [] {});
  printer.end();
  if (ended == stream_end::broken)
    throw failure(exit_code::unreachable, "network", "The connection broke before the output's end.", "Try again.");
  return exit_code::ok;
}

}  // namespace

void add_run_output(CLI::App& run, context& cx) {
  auto const given = std::make_shared<output_arguments>();
  auto* const output = add_command(run, cx, "output", "Print the output of a run that has ended",
                                   run_resource().example, [&cx, given] { return print_output(cx, *given); });
  add_target(*output, run_resource(), given->run);
  output->add_flag("--raw", given->raw, "lines as they were printed, with all control characters");
}

}  // namespace svc::cli
