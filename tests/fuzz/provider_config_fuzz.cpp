// The first byte chooses the type, the rest is JSON. Any bytes are a provider's config or not: a refusal says where,
// and what is taken can be sent.
#include "check.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 1) return 0;
  auto const type = static_cast<notifications::provider_type>(*data % notifications::provider_type_count);
  auto const text = text_of(data + 1, size - 1);
  auto const read = notifications::read_config(type, text, secret_string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
  if (!read) {
    check(!read.error().details.empty(), "a refusal says where");
    for (auto const& each : read.error().details) check(each.field.starts_with("/config"), "in the config");
    return 0;
  }
  notifications::message message{.id = uuid{}, .test = true};
  message.alerts.push_back(notifications::test_alert(message.id, timestamp{1'700'000'000'000'000}));
  auto const posts =
      notifications::make_posts(*read, message, {.link = "https://a.example/{type}/{id}"}, timestamp{});
  check(posts.empty() == (type == notifications::provider_type::email), "what is taken can be sent");
  for (auto const& post : posts) check(!post.url.empty() && !post.body.empty(), "somewhere, and something");
  return 0;
}
