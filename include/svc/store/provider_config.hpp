#pragma once

#include "svc/core/result.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace svc::store {

/// What stands in place of a secret wherever a provider's config is shown.
inline constexpr std::string_view secret_mask = "********";

/// JSON pointers into `config` of the secrets that a provider of this type holds there: webhook addresses, bot
/// tokens, header values.
std::vector<std::string> secret_pointers(std::string_view type, boost::json::object const& config);

/// A config as it is stored: with masks, and the secrets by their pointers.
struct split_config {
  boost::json::object shown;
  boost::json::object secrets;
};

/// Takes the secrets out of `wanted`. A mask stands for the one of `stored` at the same pointer, as long as the
/// address stays that the secrets were given for: whoever may change a provider must not send what others gave it
/// elsewhere. `validation_failed` with `/config/...` for a mask that stands for nothing.
result<split_config> take_secrets(std::string_view type, boost::json::object wanted, split_config const& stored);

/// The whole config again.
boost::json::object put_secrets(std::string_view type, split_config of);

}  // namespace svc::store
