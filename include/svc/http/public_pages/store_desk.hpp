#pragma once

#include "svc/http/public_pages/source.hpp"
#include "svc/store/pages/subscriber_store.hpp"

#include <atomic>

namespace svc::public_pages {

/// Hands subscriptions to the repository, and requests for them to the thread that stores them. Worker-local; the
/// pool and the queue outlive it.
class store_desk final : public subscription_desk {
 public:
  /// While `ready` is false the database may have another schema, so that every method throws `unavailable`.
  store_desk(postgres::pool& db, store::subscription_queue& queue, store::subscriber_store::limits most,
             std::atomic<bool> const& ready)
      : subscribers_(db), queue_(queue), most_(most), ready_(ready) {}

  task<bool> request(uuid page, std::string address, std::vector<uuid> components, deadline until) override;
  task<pages::subscription_step> find_link(uuid page, std::string token, deadline until) override;
  task<std::optional<pages::subscription_step>> act(uuid page, std::string token, std::string body,
                                                    deadline until) override;

 private:
  void check_ready() const;

  store::subscriber_store subscribers_;
  store::subscription_queue& queue_;
  store::subscriber_store::limits most_;
  std::atomic<bool> const& ready_;
};

}  // namespace svc::public_pages
