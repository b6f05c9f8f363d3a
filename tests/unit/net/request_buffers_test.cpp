#include "net/request_buffers.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string_view>

using svc::net::input_buffer;
using svc::net::request_buffer_pool;

namespace {

void receive(input_buffer& input, std::string_view bytes) {
  auto const room = input.room();
  REQUIRE(room.size() >= bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
  input.commit(bytes.size());
}

}  // namespace

TEST_CASE("a pinned head stays while its body is received and consumed") {
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

TEST_CASE("there is room to read after the largest head, and for the largest head") {
  auto const owned = std::make_unique<input_buffer>();
  auto& input = *owned;
  input.commit(svc::http::framing_guard::max_head);
  CHECK(input.room().size() == 4096);
  input.consume(svc::http::framing_guard::max_head);
  input.pin();
  CHECK(input.room().size() == 4096);
}

TEST_CASE("buffers are reused, and are returned empty") {
  request_buffer_pool pool;
  auto request_buffers = pool.take();
  auto* const first = request_buffers.get();
  receive(request_buffers->input, "left over");
  request_buffers->output = "left over";
  pool.give_back(std::move(request_buffers));
  request_buffers = pool.take();
  CHECK(request_buffers.get() == first);
  CHECK(request_buffers->input.unread().empty());
  CHECK(request_buffers->output.empty());
  CHECK(pool.take().get() != first);
  pool.give_back(nullptr);
  CHECK(pool.take() != nullptr);
}
