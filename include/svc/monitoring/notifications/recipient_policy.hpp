#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// Which addresses mail may go to, by `notifications.mail_recipients`. A value; the default allows every address.
class recipient_policy {
 public:
  recipient_policy() = default;
  /// `entries`: `members`, a domain (`example.org`) or all names below one (`*.example.org`); none allows every
  /// address. Requires that each is an entry.
  explicit recipient_policy(std::vector<std::string> const& entries);

  static bool is_entry(std::string_view text);

  bool is_open() const { return !members_ && domains_.empty(); }
  /// True if members of the project's organisation may get mail at the address that they sign in with.
  bool allows_members() const { return members_; }
  /// `members`: addresses of members in lower case.
  bool allows(std::string_view address, std::vector<std::string> const& members) const;

 private:
  bool members_ = false;
  std::vector<std::string> domains_{};
};

}  // namespace svc::notifications
