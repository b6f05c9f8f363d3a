#include "svc/access/reauthorization.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/http/site/pages.hpp"
#include "svc/live/feed/project_feeds.hpp"
#include "svc/live/output/viewer_stream.hpp"

namespace svc::api {
namespace {

/// The changes of one project for one viewer. The first event says whether changes arrive.
class feed_stream final : public output::viewer_stream, public feed::feed_viewer {
 public:
  feed_stream(services& use, output::viewer_parts parts, output::stream_slots::slot slot, principal const& caller,
              output::viewer_right right)
      : viewer_stream(std::move(parts), std::move(slot), std::move(right)),
        use_(use),
        project_(caller.project_id),
        queue_(caller.owner_role) {}

  void on_hearing(bool hears) override {
    note_hearing(hears);
    wake();
  }
  void on_event(feed::event_ptr const& event) override {
    if (!ending() && queue_.add(event)) wake();
  }

 private:
  void follow() override {
    if (auto const hears = use_.feed.audiences.join(project_, *this)) note_hearing(*hears);
  }
  void leave() override { use_.feed.audiences.leave(project_, *this); }
  void give_up() override {
    state_.reset();
    queue_.clear();
  }
  void on_role(role viewer) override { queue_.set_role(viewer); }

  void note_hearing(bool hears) {
    if (ending()) return;
    // The viewer reads everything again, or polls.
    queue_.clear();
    state_ = hears;
  }

  piece take_events() override {
    if (state_) {
      auto const hears = *std::exchange(state_, std::nullopt);
      if (!hears) return {feed::degraded_event};
      auto const text =
          std::make_shared<std::string const>(feed::ready_event(use_.pages.bundle(), to_rfc3339(use_.feed.now())));
      return {*text, text};
    }
    auto const text = queue_.take();
    return text ? piece{*text, text} : piece{};
  }

  services& use_;
  uuid project_;
  feed::viewer_queue queue_;
  std::optional<bool> state_{};  ///< not yet reported to the viewer
};

}  // namespace

task<result<reply>> stream_events(call& c) {
  auto slot = c.use.streams.reserve(c.caller.token_id, c.caller.project_id);
  if (!slot) co_return slot.error();
  output::viewer_right right{
      c.caller.subject, c.caller.epoch,
      c.reauthorize.check_for(c.session_key.value(), c.operation, c.caller.project_id, c.caller.session)};
  // Proxies that buffer answers would hold the events back.
  co_return reply{.fields = {{"X-Accel-Buffering", "no"}},
                  .stream = std::make_shared<feed_stream>(c.use, c.use.streams.viewing(c.use.feed.audiences.open()),
                                                          std::move(*slot), c.caller, std::move(right)),
                  .content_type = "text/event-stream"};
}

}  // namespace svc::api
