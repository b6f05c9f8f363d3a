#include "fixture.hpp"

#include "http/public_pages/copy_form.hpp"
#include "svc/http/deflate.hpp"

namespace svc::public_pages {
namespace {

/// Text that gzip can hardly shorten.
std::string noise(std::size_t size, std::uint32_t seed) {
  std::string out;
  while (out.size() < size) {
    seed = seed * 1664525 + 1013904223;
    out += static_cast<char>('a' + (seed >> 24) % 26);
  }
  return out;
}

published_page large_page(std::size_t posts, std::size_t bytes_each) {
  auto page = sample_page(1, "acme", system_now());
  for (std::size_t i = 0; i < posts; ++i) {
    auto incident = page.snapshot.incidents.front();
    incident.id.bytes[0] = static_cast<std::uint8_t>(i);
    incident.id.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    incident.name = noise(40, static_cast<std::uint32_t>(i));
    incident.posts.front().body = noise(bytes_each, static_cast<std::uint32_t>(i) + 7);
    page.snapshot.incidents.push_back(std::move(incident));
  }
  return page;
}

TEST_CASE("a copy has everything that serving the page needs") {
  auto page = sample_page(1, "acme", system_now());
  page.domain = "status.acme.example";
  page.allowed = {*cidr::parse("192.0.2.0/24"), *cidr::parse("2001:db8::/32")};
  page.version = 77;
  auto const copy = write_copy(page);
  REQUIRE(copy);
  CHECK(copy->size() <= most_copy_bytes);
  auto const read = read_copy(*copy);
  REQUIRE(read);
  CHECK(read->project == page.project);
  CHECK(read->version == 77);
  CHECK(read->domain == page.domain);
  CHECK(read->allowed == page.allowed);
  CHECK(pages::write_snapshot(read->snapshot) == pages::write_snapshot(page.snapshot));
}

TEST_CASE("a page that is too large loses its oldest texts, and keeps its components and open incidents") {
  for (auto const& [posts, bytes] : {std::pair{40UL, 5000UL}, {250UL, 1000UL}, {1000UL, 200UL}}) {
    CAPTURE(posts);
    auto page = large_page(posts, bytes);
    page.snapshot.incidents.back().resolved_at.reset();
    page.snapshot.incidents.back().status = pages::post_status::investigating;
    auto const open = page.snapshot.incidents.back().id;
    auto const copy = write_copy(page);
    REQUIRE(copy);
    CHECK(copy->size() <= most_copy_bytes);
    auto const read = read_copy(*copy);
    REQUIRE(read);
    CHECK(read->snapshot.components.size() == 1);
    CHECK(pages::find_incident(read->snapshot, open) != nullptr);
  }
}

TEST_CASE("anything else is no copy") {
  auto const good = *write_copy(sample_page(1, "acme", system_now()));
  CHECK(read_copy(good));
  CHECK_FALSE(read_copy(""));
  CHECK_FALSE(read_copy("svc-page-1"));
  CHECK_FALSE(read_copy(std::string(100, '\0')));
  CHECK_FALSE(read_copy(good + "x"));
  for (std::size_t size = 0; size < good.size(); size += 7) CHECK_FALSE(read_copy(good.substr(0, size)));
  for (std::size_t i = 0; i < good.size(); i += 11) {
    auto wrong = good;
    wrong[i] = static_cast<char>(wrong[i] ^ 0x55);
    read_copy(wrong);  // It must not crash; fields of gzip's head may change freely.
  }
  auto const id = numbered(1).to_string();
  for (auto const& text : {std::string("svc-page-2 ") + id + " 1 - -\n{}", "svc-page-1 " + id + " x - -\n{}",
                           "svc-page-1 " + id + " 1 - 1.2.3.4\n{}", "svc-page-1 " + id + " 1 - -\n{}",
                           "svc-page-1 " + id + " 1 - - more\n{}", std::string("\n"), std::string(5000, 'x')}) {
    CAPTURE(text.substr(0, 80));
    CHECK_FALSE(read_copy(http::gzip(text, 6)));
  }
  // A small text that claims to be large takes no memory.
  auto bomb = http::gzip(std::string(20'000'000, ' '), 9);
  CHECK_FALSE(read_copy(bomb));
}

TEST_CASE("a page has its slug and its domain as names") {
  auto page = sample_page(1, "acme", system_now());
  CHECK(names_in_redis(page) == std::vector<std::string>{"s:acme"});
  page.domain = "status.acme.example";
  CHECK(names_in_redis(page) == std::vector<std::string>{"s:acme", "d:status.acme.example"});
}

}  // namespace
}  // namespace svc::public_pages
