#include "svc/http/public_pages/copies.hpp"

#include "http/public_pages/copy_form.hpp"
#include "svc/core/turns.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace svc::embedded {
extern std::string_view const page_put_lua;
}  // namespace svc::embedded

namespace svc::public_pages {
namespace {

// All keys share a hash tag, so that one script may touch them in a Redis Cluster.
constexpr std::string_view copy_prefix = "svc:{pages}:", names_key = "svc:{pages}:names",
                           held_key = "svc:{pages}:held", order_key = "svc:{pages}:order",
                           refresh_key = "svc:{pages}:refresh";
/// A little less than the hour, so that the next round of the same instance finds it free.
constexpr std::string_view refresh_life = "3540000";

std::string copy_key(uuid const& id) {
  return std::string(copy_prefix) + id.to_string();
}

std::string life_millis() {
  return std::to_string(std::chrono::milliseconds(page_copies::life).count());
}

}  // namespace

redis::script const& page_copies::script() {
  static redis::script const put("page_put", embedded::page_put_lua);
  return put;
}

task<> page_copies::run(uuid id, std::vector<std::string> arguments, deadline until) {
  auto const key = copy_key(id);
  std::array<std::string_view, 4> const keys{key, names_key, held_key, order_key};
  std::vector<std::string_view> const views(arguments.begin(), arguments.end());
  co_await redis_.evaluate(script(), keys, views, until);
}

task<> page_copies::put(page_ptr page, deadline until) {
  // A large page takes some attempts.
  copy_writer writer(*page);
  while (writer.step()) co_await others_turn();
  auto copy = writer.take();
  if (!copy) co_return;
  auto const& snapshot = page->snapshot;
  std::vector<std::string> arguments{snapshot.page.id.to_string(), std::to_string(snapshot.as_of.micros),
                                     life_millis(), std::to_string(most_), std::move(*copy)};
  for (auto& name : names_in_redis(*page)) arguments.push_back(std::move(name));
  co_await run(snapshot.page.id, std::move(arguments), until);
}

task<> page_copies::remove(uuid id, deadline until) {
  co_await run(id, {id.to_string(), "0", life_millis(), std::to_string(most_), std::string()}, until);
}

task<page_copies::answer<std::optional<uuid>>> page_copies::find(page_name name, deadline until) {
  auto const field = name_in_redis(name);
  std::string_view const words[] = {"HGET", names_key, field};
  auto const got = co_await redis_.command(words, until);
  co_return answer<std::optional<uuid>>{got.ok(), got.ok() ? uuid::parse(got.value.text) : std::nullopt};
}

task<page_copies::answer<page_ptr>> page_copies::read(uuid id, deadline until) {
  auto const key = copy_key(id);
  std::string_view const words[] = {"GET", key};
  auto const got = co_await redis_.command(words, until);
  co_return answer<page_ptr>{got.ok(), got.ok() ? read_copy(got.value.text) : nullptr};
}

task<std::vector<uuid>> page_copies::ids(deadline until) {
  std::string_view const words[] = {"ZRANGEBYSCORE", order_key, "-inf", "+inf"};
  auto const got = co_await redis_.command(words, until);
  std::vector<uuid> out;
  if (!got.ok()) co_return out;
  for (auto const& each : got.value.elements)
    if (auto const id = uuid::parse(each.text)) out.push_back(*id);
  co_return out;
}

task<bool> page_copies::take_refresh(deadline until) {
  std::string_view const words[] = {"SET", refresh_key, "1", "NX", "PX", refresh_life};
  auto const got = co_await redis_.command(words, until);
  co_return got.ok() && !got.value.is_nil();
}

task<> page_copies::give_back_refresh(deadline until) {
  std::string_view const words[] = {"UNLINK", refresh_key};
  co_await redis_.command(words, until);
}

}  // namespace svc::public_pages
