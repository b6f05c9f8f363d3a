#include "cli/events/followed_run.hpp"

#include "cli/console/show.hpp"
#include "svc/core/numbers.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace svc::cli {
namespace {

constexpr std::chrono::milliseconds shortest_doubled{250};

run_news read_news(event const& event, boost::json::object const& data, run_news::kind kind) {
  run_news out{.content = kind, .id = event.id};
  switch (kind) {
    case run_news::kind::line:
      out.text = text_of_member(data, "line");
      out.error_stream = text_of_member(data, "stream") == "stderr";
      break;
    case run_news::kind::gap:
      out.after = text_of_member(data, "after");
      out.before = text_of_member(data, "before");
      break;
    default:
      out.text = text_of_member(data, "status");
  }
  return out;
}

std::optional<run_news::kind> news_kind_of(std::string_view type) {
  if (type == "console") return run_news::kind::line;
  if (type == "status") return run_news::kind::status;
  if (type == "gap") return run_news::kind::gap;
  if (type == "dropped") return run_news::kind::dropped;
  if (type == "complete") return run_news::kind::complete;
  return std::nullopt;
}

}  // namespace

std::optional<event_position> event_position::parse(std::string_view text) {
  auto const dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  auto const attempt = parse_number<std::uint64_t>(text.substr(0, dash));
  auto const number = parse_number<std::uint64_t>(text.substr(dash + 1));
  if (!attempt || !number) return std::nullopt;
  return event_position{*attempt, *number};
}

std::string event_position::to_string() const {
  return std::to_string(attempt) + "-" + std::to_string(number);
}

std::optional<std::chrono::milliseconds> reconnection::pause(std::optional<std::chrono::milliseconds> notified,
                                                             double fraction) {
  if (waited_ >= patience) return std::nullopt;
  auto const least = notified.value_or(first_);
  auto most = least + least / 5;
  // If no event arrives, a pause follows even if the service asks for none.
  auto const base = std::max(first_, shortest_doubled);
  if (!notified && tries_ > 0) most = std::max(most, std::min(longest, base * (1 << std::min(tries_, 10))));
  ++tries_;
  auto const wait = least + std::chrono::milliseconds(
                                static_cast<std::int64_t>(static_cast<double>((most - least).count()) * fraction));
  waited_ += wait;
  return wait;
}

std::optional<run_news> followed_run::take(event const& event) {
  auto const kind = news_kind_of(event.type);
  if (!kind) return std::nullopt;
  auto const id = event_position::parse(event.id);
  boost::system::error_code bad;
  auto const data = boost::json::parse(event.data, bad);
  if (!id || bad || !data.is_object()) return run_news{};
  lost_.progress();
  refusals_ = 0;
  // The id of `dropped` is that of the last event before it.
  if (last_ && *id <= *last_ && kind != run_news::kind::dropped) return std::nullopt;
  last_ = std::max(last_.value_or(*id), *id);
  complete_ = complete_ || kind == run_news::kind::complete;
  return read_news(event, data.get_object(), *kind);
}

followed_run::step followed_run::after(end end, std::optional<std::chrono::milliseconds> notified, double fraction) {
  if (complete_) return {step::action::finish};
  has_all_ = end == end::empty;
  if (has_all_) return {step::action::ask_run};
  if (end == end::refused && ++refusals_ >= most_refusals) return {step::action::ask_run};
  return connect_again(notified, fraction);
}

followed_run::step followed_run::learnt(bool run_is_over, double fraction) {
  if (run_is_over) return {has_all_ ? step::action::finish : step::action::read_output};
  // The run could be asked for: the service is not lost, it only has no place for another stream.
  lost_.progress();
  return connect_again({}, fraction);
}

followed_run::step followed_run::connect_again(std::optional<std::chrono::milliseconds> notified, double fraction) {
  auto const wait = lost_.pause(notified, fraction);
  if (!wait) return {step::action::give_up};
  return {step::action::connect, *wait};
}

}  // namespace svc::cli
