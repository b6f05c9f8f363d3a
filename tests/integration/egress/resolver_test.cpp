#include "svc/egress/dns/resolver.hpp"
#include "integration/egress/fixture.hpp"
#include "support/free_port.hpp"

#include <atomic>

using namespace svc;
using namespace svc::egress;

namespace {

dns_script const silence{.behaviour = dns_script::kind::silence};

/// A worker with only a resolver.
struct asker {
  explicit asker(resolver_settings settings) : names(io, std::move(settings)) {}

  address_lookup find(std::string name, ip_family family = ip_family::any, milliseconds age = 0ms,
                      milliseconds within = 10s) {
    return run_task(io, names.addresses(std::move(name), family, deadline::after(within), age));
  }
  lookup ask(std::string name, record_type type) {
    return run_task(io, names.query(std::move(name), type, deadline::after(10s)));
  }
  asio::io_context io{1};
  resolver names;
};

std::string text_of(address_lookup const& found) {
  std::string out(code_of(found.error));
  for (auto const& address : found.addresses) out.append(out.empty() ? "" : " ").append(address.to_string());
  return out;
}

/// Impatient with silence, but never with a server that answers.
resolver_settings impatient(std::initializer_list<int> ports) {
  auto out = asking(ports);
  out.patience = 150ms;
  out.rounds = 1;
  return out;
}

}  // namespace

TEST_CASE("addresses of both families, of one, and none") {
  dns_server dns(knowing({{"both.test", {"192.0.2.1", "2001:db8::1", "192.0.2.2"}}, {"none.test", {}}}));
  asker a(asking({dns.port()}));
  CHECK(text_of(a.find("both.test")) == "2001:db8::1 192.0.2.1 192.0.2.2");
  CHECK(text_of(a.find("both.test", ip_family::v4)) == "192.0.2.1 192.0.2.2");
  CHECK(text_of(a.find("both.test", ip_family::v6)) == "2001:db8::1");
  CHECK(text_of(a.find("none.test")) == "dns_not_found");
  CHECK(text_of(a.find("unknown.test")) == "dns_not_found");
}

TEST_CASE("no hosts file, no search list, no environment") {
  setenv("LOCALDOMAIN", "test", 1);
  setenv("RES_OPTIONS", "ndots:5", 1);
  dns_server dns(knowing({{"short.test", {"192.0.2.1"}}}));
  asker a(asking({dns.port()}));
  CHECK(text_of(a.find("localhost")) == "dns_not_found");
  CHECK(text_of(a.find("short")) == "dns_not_found");
  unsetenv("LOCALDOMAIN");
  unsetenv("RES_OPTIONS");
}

TEST_CASE("records of other types, with the code and the TTL") {
  dns_server dns([](dns_question const& q) {
    if (q.type == 15) return dns_script{.records = {{"", 15, 33, std::string("\0\x0A", 2) + dns_name("mail.test")}}};
    if (q.type == 16) return dns_script{.records = {{"", 16, 44, "\x05hello"}}};
    return dns_script{.rcode = 5};
  });
  asker a(asking({dns.port()}));
  auto const mx = a.ask("a.test", record_type::mx);
  CHECK(mx.error == failure::none);
  REQUIRE(mx.answer.records.size() == 1);
  CHECK(mx.answer.records[0].text == "10 mail.test");
  CHECK(mx.answer.ttl == 33s);
  CHECK(a.ask("a.test", record_type::txt).answer.records.at(0).text == "hello");
  auto const refused = a.ask("a.test", record_type::soa);
  CHECK(refused.answer.rcode == 5);
}

TEST_CASE("texts of a name are sorted, missing ones are an answer, and silent servers are told from a broken name") {
  auto const text = [](std::string const& word) { return std::string(1, static_cast<char>(word.size())) + word; };
  std::atomic<bool> silent = false;
  dns_server dns([&](dns_question const& q) -> dns_script {
    if (silent) return silence;
    if (q.name == "two.test" && q.type == 16) return {.records = {{"", 16, 60, text("b")}, {"", 16, 60, text("a")}}};
    if (q.name == "broken.test") return {.rcode = 2};
    return {.rcode = q.name == "." || q.name.empty() ? 0 : 3};
  });
  asker a(impatient({dns.port()}));
  auto const look = [&](std::string name) {
    return run_task(a.io, read_text_records(a.names, std::move(name), deadline::after(10s)));
  };
  CHECK(look("two.test").texts == std::vector<std::string>{"a", "b"});
  CHECK(look("none.test").texts == std::vector<std::string>{});
  auto const broken = look("broken.test");
  CHECK_FALSE(broken.texts);
  CHECK_FALSE(broken.resolver_failed);
  CHECK_FALSE(look("no name").texts);
  silent = true;
  auto const lost = look("two.test");
  CHECK_FALSE(lost.texts);
  CHECK(lost.resolver_failed);
}

TEST_CASE("an answer that UDP cuts is fetched over TCP") {
  dns_server dns([](dns_question const& q) {
    auto out = dns_addresses(q, {"192.0.2.1"});
    out.behaviour = dns_script::kind::cut;
    return out;
  });
  asker a(asking({dns.port()}));
  CHECK(text_of(a.find("a.test", ip_family::v4)) == "192.0.2.1");
  CHECK(dns.over_tcp() == 1);
}

TEST_CASE("the next server is asked after a failure, after silence, and where nothing listens") {
  dns_server good(knowing({{"a.test", {"192.0.2.1"}}}));
  dns_server failing([](auto const&) { return dns_script{.rcode = 2}; });
  dns_server silent([](auto const&) { return silence; });
  for (int const first : {failing.port(), silent.port(), free_port()}) {
    asker a(impatient({first, good.port()}));
    CHECK(text_of(a.find("a.test")) == "192.0.2.1");
  }
}

TEST_CASE("the party that causes a missing answer for a name is found") {
  struct {
    std::string name;
    bool root_answers;
    bool other_first;
    dns_script about_it;
    char const* wanted;
  } const cases[] = {
      {"fails, and the servers answer the root", true, false, {.rcode = 2}, "dns_failed"},
      {"silent, and the servers answer the root", true, false, silence, "dns_timeout"},
      {"fails, and the servers answer nothing", false, false, {.rcode = 2}, "resolver_unreachable"},
      {"silent, and the servers answer nothing", false, false, silence, "resolver_unreachable"},
      {"fails, and another name was answered before", false, true, {.rcode = 2}, "resolver_unreachable"},
      {"silent, and another name was answered before", false, true, silence, "resolver_unreachable"},
      {"no such name", false, false, {.rcode = 3}, "dns_not_found"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    dns_server dns([&](dns_question const& q) {
      if (q.name.empty()) return c.root_answers ? dns_script{} : silence;
      return q.name == "bad.test" ? c.about_it : dns_addresses(q, {"192.0.2.1"});
    });
    auto settings = impatient({dns.port()});
    settings.probe_patience = c.root_answers ? 5s : 150ms;
    asker a(settings);
    if (c.other_first) a.find("good.test");
    CHECK(text_of(a.find("bad.test")) == c.wanted);
  }
}

TEST_CASE("servers that answer another name while one is silent are well") {
  dns_server dns(
      [](dns_question const& q) { return q.name == "good.test" ? dns_addresses(q, {"192.0.2.1"}) : silence; });
  auto settings = impatient({dns.port()});
  settings.patience = 1s;
  asker a(settings);
  std::optional<address_lookup> bad;
  asio::co_spawn(a.io, a.names.addresses("bad.test", ip_family::any, deadline::after(10s), 0ms),
                 [&](std::exception_ptr, address_lookup got) { bad = got; });
  CHECK(text_of(a.find("good.test")) == "192.0.2.1");
  CHECK_FALSE(bad);
  while (!bad && a.io.run_one() > 0) {
  }
  CHECK(text_of(*bad) == "dns_timeout");
}

TEST_CASE("servers that die after an answer bring down no name") {
  std::atomic<bool> dead = false;
  dns_server dns([&](dns_question const& q) { return dead ? silence : dns_addresses(q, {"192.0.2.1"}); });
  auto settings = impatient({dns.port()});
  settings.probe_patience = 150ms;
  asker a(settings);
  CHECK(text_of(a.find("a.test")) == "192.0.2.1");
  dead = true;
  for (auto const* name : {"b.test", "a.test", "c.test"}) CHECK(text_of(a.find(name)) == "resolver_unreachable");
}

TEST_CASE("two broken zones, and nobody else asking, do not make the servers ill") {
  dns_server dns([](dns_question const& q) { return dns_script{.rcode = q.name.empty() ? 0 : 2}; });
  asker a(impatient({dns.port()}));
  for (auto const* name : {"bad.test", "worse.test", "bad.test"}) CHECK(text_of(a.find(name)) == "dns_failed");
}

TEST_CASE("servers that are themselves asked about are at fault, whatever they say to others") {
  for (auto const& [script, wanted] : {std::pair{silence, "dns_timeout"}, {dns_script{.rcode = 5}, "dns_failed"}}) {
    dns_server dns([&](dns_question const&) { return script; });
    auto settings = impatient({dns.port()});
    settings.may_be_ill = false;
    asker a(settings);
    CHECK(text_of(a.find("a.test")) == wanted);
    CHECK(dns.questions() == 2);
  }
}

TEST_CASE("a server without an answer for AAAA delays the others little") {
  dns_server dns([](dns_question const& q) { return q.type == 28 ? silence : dns_addresses(q, {"192.0.2.1"}); });
  asker a(asking({dns.port()}));
  auto const begin = steady::now();
  CHECK(text_of(a.find("a.test")) == "192.0.2.1");
  CHECK(steady::now() - begin < 4s);
}

TEST_CASE("an answer for one type shows that the servers are well, whatever becomes of the other") {
  dns_server dns(
      [](dns_question const& q) { return q.type == 28 ? silence : dns_script{.rcode = q.name.empty() ? 2 : 0}; });
  asker a(impatient({dns.port()}));
  CHECK(text_of(a.find("a.test")) == "dns_timeout");
}

TEST_CASE("addresses are cached as long as the caller, the TTL and the limit allow; failures are not") {
  dns_server dns([](dns_question const& q) {
    if (q.name == "zero.test") return dns_addresses(q, {"192.0.2." + std::to_string(1 + q.count)}, 0);
    if (q.name == "gone.test") return dns_script{.rcode = 3};
    return dns_addresses(q, {"192.0.2." + std::to_string(1 + q.count)}, 300);
  });
  asker a(asking({dns.port()}));
  CHECK(text_of(a.find("a.test", ip_family::v4, 60s)) == "192.0.2.1");
  auto const again = a.find("a.test", ip_family::v4, 60s);
  CHECK(text_of(again) == "192.0.2.1");
  CHECK(again.from_cache);
  CHECK(text_of(a.find("a.test", ip_family::v4, 0s)) == "192.0.2.2");
  CHECK(text_of(a.find("zero.test", ip_family::v4, 60s)) == "192.0.2.1");
  CHECK(text_of(a.find("zero.test", ip_family::v4, 60s)) == "192.0.2.2");
  auto const before = dns.questions();
  a.find("gone.test", ip_family::v4, 60s);
  a.find("gone.test", ip_family::v4, 60s);
  CHECK(dns.questions() == before + 2);
}

TEST_CASE("a lookup ends with its deadline, also while a server is awaited") {
  dns_server dns([](dns_question const& q) { return q.name.empty() ? dns_script{} : silence; });
  asker a(asking({dns.port()}));
  auto const begin = steady::now();
  CHECK(text_of(a.find("a.test", ip_family::any, 0ms, 200ms)) == "dns_timeout");
  CHECK(steady::now() - begin < 4s);
}

TEST_CASE("only the cancelled lookup ends; its late answer reaches nobody") {
  std::atomic<bool> speak = false;
  dns_server dns([&](dns_question const& q) {
    if (q.name == "slow.test" && !speak) return silence;
    return dns_addresses(q, {"192.0.2.1"});
  });
  asker a(asking({dns.port()}));
  asio::cancellation_signal signal;
  std::optional<address_lookup> slow;
  asio::co_spawn(
      a.io, a.names.addresses("slow.test", ip_family::any, deadline::after(10s), 0ms),
      asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr, address_lookup got) { slow = got; }));
  CHECK(text_of(a.find("fast.test")) == "192.0.2.1");
  CHECK_FALSE(slow);
  signal.emit(asio::cancellation_type::terminal);
  CHECK(text_of(a.find("fast.test")) == "192.0.2.1");
  REQUIRE(slow);
  CHECK(text_of(*slow) == "cancelled");
  speak = true;
  CHECK(text_of(a.find("slow.test")) == "192.0.2.1");
}

TEST_CASE("a resolver that ends cancels its lookups, and a loop that ends drops them") {
  dns_server dns([](auto const&) { return silence; });
  std::optional<address_lookup> got;
  {
    asio::io_context io{1};
    auto names = std::make_unique<resolver>(io, asking({dns.port()}));
    asio::co_spawn(io, names->addresses("a.test", ip_family::any, deadline::after(10s), 0ms),
                   [&](std::exception_ptr, address_lookup out) { got = out; });
    io.run_for(50ms);
    names.reset();
    io.run();
    REQUIRE(got);
    CHECK(text_of(*got) == "cancelled");
  }
  asio::io_context io{1};
  resolver names(io, asking({dns.port()}));
  asio::co_spawn(io, names.addresses("a.test", ip_family::any, deadline::after(10s), 0ms),
                 [&](std::exception_ptr, address_lookup) { FAIL("it must not end"); });
  io.run_for(50ms);
}

TEST_CASE("many lookups at once") {
  dns_server dns([](dns_question const& q) { return dns_addresses(q, {"192.0.2.1", "2001:db8::1"}); });
  asker a(asking({dns.port()}));
  int good = 0, ended = 0;
  for (int i = 0; i < 60; ++i)
    asio::co_spawn(
        a.io, a.names.addresses("n" + std::to_string(i) + ".test", ip_family::any, deadline::after(10s), 0ms),
        [&](std::exception_ptr, address_lookup got) { ++ended, good += got.addresses.size() == 2 ? 1 : 0; });
  while (ended < 60 && a.io.run_one() > 0) {
  }
  CHECK(good == 60);
}
