// Any bytes are the value of a sealed cookie or refused; only what was sealed opens. Any content is a device or none.
#include "check.hpp"
#include "svc/sign_in/cookies.hpp"
#include "svc/sign_in/sealed_cookies.hpp"

#include <cstdint>
#include <string>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  static master_keys keys(std::vector<sealer>{sealer(secret_bytes(32, 1)), sealer(secret_bytes(32, 2))});
  sign_in::cookie_sealer const cookies(keys);
  timestamp const now{1'700'000'000'000'000};
  check(!cookies.open(sign_in::flow_cookie, text, now), "no guess is a sealed value");

  auto const content = text.substr(0, sign_in::cookie_sealer::longest_content);
  auto value = cookies.seal(sign_in::flow_cookie, content, now + sign_in::flow_life);
  auto const opened = cookies.open(sign_in::flow_cookie, value, now);
  check(opened && opened->reveal() == content, "what was sealed opens");
  // The last character may have bits that no byte has.
  auto& changed = value[size % (value.size() - 1)];
  changed = changed == 'A' ? 'B' : 'A';
  check(!cookies.open(sign_in::flow_cookie, value, now), "one changed character is found");

  if (auto const device = sign_in::device_content::read(text)) {
    check(device->write() == text, "a device has one form");
    auto more = *device;
    more.add(sha256(text));
    check(more.knows(sha256(text)) && sign_in::device_content::read(more.write()) == more, "one account more");
  }
  return 0;
}
