#include "net/desk.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string_view>

using svc::net::desk_pool;
using svc::net::input_buffer;

namespace {

void receive(input_buffer& input, std::string_view bytes) {
  auto const room = input.room();
  REQUIRE(room.size() >= bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
  input.commit(bytes.size());
}

}  // namespace

TEST_CASE("a pinned head stays while its body comes and goes") {
  auto const owned = std::make_unique<input_buffer>();
  auto& input = *owned;
  receive(input, "HEADbo");
  auto const head = input.unread().substr(0, 4);
  input.consume(4);
  input.pin();
  CHECK(input.unread() == "bo");
  input.consume(2);
  for (int i = 0; i < 3; ++i) {
    CHECK(input.room().size() == input_buffer::capacity - 4);
    receive(input, "dy");
    CHECK(input.unread() == "dy");
    input.consume(2);
  }
  CHECK(head == "HEAD");
  receive(input, "NEXT");
  input.next_message();
  CHECK(input.unread() == "NEXT");
  CHECK(input.room().size() == input_buffer::capacity - 4);
}

TEST_CASE("there is room to read behind the largest head, and for the largest head") {
  auto const owned = std::make_unique<input_buffer>();
  auto& input = *owned;
  input.commit(svc::http::framing_guard::max_head);
  CHECK(input.room().size() == 4096);
  input.consume(svc::http::framing_guard::max_head);
  input.pin();
  CHECK(input.room().size() == 4096);
}

TEST_CASE("desks are used again, and come back empty") {
  desk_pool pool;
  auto desk = pool.take();
  auto* const first = desk.get();
  receive(desk->input, "left over");
  desk->output = "left over";
  pool.give_back(std::move(desk));
  desk = pool.take();
  CHECK(desk.get() == first);
  CHECK(desk->input.unread().empty());
  CHECK(desk->output.empty());
  CHECK(pool.take().get() != first);
  pool.give_back(nullptr);
  CHECK(pool.take() != nullptr);
}
