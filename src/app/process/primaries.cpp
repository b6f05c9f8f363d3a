#include "app/process/primaries.hpp"

#include <utility>

namespace svc::app {

bool primary_history::moved_to(std::string server, timestamp now) {
  bool const first = since_.micros == 0;
  moved_to(std::move(server), first ? 0 : 1, now);
  return !first;
}

void primary_history::moved_to(std::string servers, std::size_t replaced, timestamp now) {
  server_ = std::move(servers);
  since_ = now;
  switches_ += replaced;
}

boost::json::value primary_history::to_json() const {
  if (since_.micros == 0) return nullptr;
  return {{"server", server_}, {"since", to_rfc3339(since_)}, {"switches", switches_}};
}

/// Receives the locator's results, also when a lost connection finds the same server again, and a Cluster's masters.
class primaries::redis_subscription final : public redis::primary_locator::listener {
 public:
  redis_subscription(asio::io_context& control, metrics& counters)
      : listener(control),
        switches_(counters.make_counter("svc_redis_switches_total",
                                        "Times that another server became the primary, or a master of the Cluster")) {
  }

  void on_found(redis::address const& where) override {
    if (where == last_) return;
    last_ = where;
    if (history_.moved_to(where.to_string(), system_now())) switches_.add();
  }
  void on_not_found(std::string const& /*why*/) override {}
  void on_deposed() override {}
  void on_masters(std::vector<redis::address> const& all, std::size_t taken_over) {
    history_.moved_to(redis::list_of(all), taken_over, system_now());
    switches_.add(taken_over);
  }
  boost::json::value to_json() const { return history_.to_json(); }

 private:
  counter switches_;
  redis::address last_{};
  primary_history history_{};
};

primaries::primaries(asio::io_context& control, metrics& counters,
                     std::shared_ptr<redis::primary_locator> const& locator)
    : timeline_(
          counters.make_gauge("svc_postgres_timeline", "Timeline of the primary that is used; 0 before it is known")),
      postgres_switches_(counters.make_counter("svc_postgres_switches_total",
                                               "Times that another server or timeline became the primary")),
      redis_(std::make_shared<redis_subscription>(control, counters)) {
  if (locator) locator->join(redis_);
}

void primaries::follow(postgres::server_report const& server, postgres::primary_server const& where) {
  last_timeline_ = where.identity.timeline;
  timeline_.set(static_cast<double>(last_timeline_));
  if (postgres_.moved_to(server.address.text(), system_now())) postgres_switches_.add();
}

void primaries::follow(std::vector<redis::address> const& masters, std::size_t taken_over) {
  redis_->on_masters(masters, taken_over);
}

boost::json::object primaries::to_json() const {
  auto of_postgres = postgres_.to_json();
  if (auto* const known = of_postgres.if_object()) (*known)["timeline"] = last_timeline_;
  return {{"postgres", std::move(of_postgres)}, {"redis", redis_->to_json()}};
}

}  // namespace svc::app
