#include "svc/live/dispatch/claim_hub.hpp"

#include "svc/core/numbers.hpp"

#include <boost/asio/post.hpp>

#include <array>

namespace svc::dispatch {

claim_hub::claim_hub(asio::io_context& io, redis::settings where)
    : subscription_(io, std::move(where), *this), name_(uuid::generate_v7().to_string()) {}

std::size_t claim_hub::join(std::weak_ptr<dispatch_inbox> inbox) {
  inboxes_.push_back(std::move(inbox));
  return inboxes_.size() - 1;
}

void claim_hub::start() {
  subscription_.start();
  subscription_.subscribe(std::string(dispatch_channel));
}

void claim_hub::stop() {
  subscription_.stop();
}

void claim_hub::pass(std::size_t first, std::vector<dispatch_news> news) {
  step(first, 1, std::move(news), true);
}

/// Posts the news to the inbox that is `done` positions after `first`. When all inboxes have had the news, the inbox
/// `first` publishes the rest, unless the news arrived from another instance.
void claim_hub::step(std::size_t first, std::size_t done, std::vector<dispatch_news> news, bool from_here) {
  bool const over = done == inboxes_.size();
  if (over && !from_here) return;
  auto const next = inboxes_[(first + done) % inboxes_.size()].lock();
  if (!next) return;
  asio::post(next->io(), [this, next, first, done, over, from_here, news = std::move(news)]() mutable {
    if (over) return next->publish(std::move(news));
    auto left = next->take(std::move(news));
    if (!left.empty()) step(first, done + 1, std::move(left), from_here);
  });
}

void claim_hub::on_message(std::string_view, std::string_view payload) {
  auto message = read_dispatch(payload);
  if (message.source == name_ || inboxes_.empty()) return;
  if (!message.news.empty()) step(0, 0, std::move(message.news), false);
}

namespace {

/// Takes the text before the next `mark`, and the mark, off the front.
std::string_view take(std::string_view& text, char mark) {
  auto const end = std::min(text.find(mark), text.size());
  auto const out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

std::optional<dispatch_news> read_queued(std::string_view line) {
  auto const organization = uuid::parse(take(line, ' '));
  auto const project = uuid::parse(take(line, ' '));
  std::string type(take(line, ' '));
  auto const count = parse_number<std::int64_t>(line);
  if (!organization || !project || type.empty() || !count || *count < 1) return std::nullopt;
  return dispatch_news{.work = queued_work{*organization, *project, std::move(type), *count}};
}

std::optional<dispatch_news> read_line(std::string_view line) {
  auto const kind = take(line, ' ');
  if (kind == "q") return read_queued(line);
  auto const run = kind == "c" ? uuid::parse(line) : std::nullopt;
  if (!run) return std::nullopt;
  return dispatch_news{.cancelled = run};
}

}  // namespace

std::string write_dispatch(std::string_view source, std::vector<dispatch_news> const& news) {
  std::string out(source);
  for (auto const& entry : news) {
    if (entry.work) {
      out += "\nq " + entry.work->organization.to_string() + " " + entry.work->project.to_string() + " " +
             entry.work->job_type + " " + std::to_string(entry.work->count);
    }
    if (entry.cancelled) out += "\nc " + entry.cancelled->to_string();
  }
  return out;
}

dispatch_message read_dispatch(std::string_view text) {
  dispatch_message out{.source = std::string(take(text, '\n'))};
  while (!text.empty()) {
    if (auto news = read_line(take(text, '\n'))) out.news.push_back(std::move(*news));
  }
  return out;
}

}  // namespace svc::dispatch
