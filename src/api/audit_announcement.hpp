#pragma once

#include "svc/domain/audit.hpp"
#include "svc/live/feed/publisher.hpp"

#include <memory>
#include <vector>

namespace svc::api {

/// Announces to open pages what the audit rows of a request name, once the request is over. After an exception the
/// change may have been committed, so it is announced as well; a page that reads again then finds nothing new. Clear
/// the list after a refusal, because its rows were not written.
class audit_announcement {
 public:
  audit_announcement(feed::publisher& publisher, bool changes)
      : publisher_(publisher), audited_(changes ? std::make_shared<std::vector<changed_thing>>() : nullptr) {}
  ~audit_announcement() {
    if (audited_) publisher_.note(*audited_);
  }
  audit_announcement(audit_announcement const&) = delete;
  audit_announcement& operator=(audit_announcement const&) = delete;

  /// The list of the rows; null if the request changes nothing.
  std::shared_ptr<std::vector<changed_thing>> const& audited() const { return audited_; }

 private:
  feed::publisher& publisher_;
  std::shared_ptr<std::vector<changed_thing>> audited_;
};

}  // namespace svc::api
