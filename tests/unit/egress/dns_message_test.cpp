#include "egress/dns/message.hpp"
#include "unit/egress/wire.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <span>

using namespace svc;
using namespace svc::egress;
using namespace std::literals;

namespace {

std::optional<dns_answer> read(std::string_view bytes, std::string_view name = "a.example",
                               record_type type = record_type::a) {
  return read_dns_answer({reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()}, name, type);
}

/// The texts, joined by `|`; `-` if the message was refused.
std::string texts(std::optional<dns_answer> const& got) {
  if (!got) return "-";
  std::string out;
  for (auto const& record : got->records) out.append(out.empty() ? "" : "|").append(record.text);
  return out;
}

std::string const v4 = "\xCB\x00\x71\x09"s;

}  // namespace

TEST_CASE("records of each type on one line") {
  auto const wire = [](auto... names) { return (dns_writer::wire_name(names) + ...); };
  struct {
    record_type type;
    std::string data;
    char const* wanted;
  } const cases[] = {
      {record_type::a, v4, "203.0.113.9"},
      {record_type::aaaa, "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x09"s, "2001:db8::9"},
      {record_type::ns, wire("NS1.Example"), "ns1.example"},
      {record_type::cname, wire("b.example"), "b.example"},
      {record_type::ptr, wire("host.example"), "host.example"},
      {record_type::mx, "\x00\x0A"s + wire("mail.example"), "10 mail.example"},
      {record_type::mx, "\x00\x00"s + wire(""), "0 "},
      {record_type::txt, "\x05v=spf\x05 -all"s, "v=spf -all"},
      {record_type::txt, "\0"s, ""},
      {record_type::srv, "\x00\x01\x00\x02\x1F\x90"s + wire("s.example"), "1 2 8080 s.example"},
      {record_type::caa, "\x00\x05issueca.example"s, "0 issue \"ca.example\""},
      {record_type::caa, "\x80\x03tbsa\"\\b"s, "128 tbs \"a\\\"\\\\b\""},
      {record_type::soa, wire("ns.example", "admin.example") + "\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5"s,
       "ns.example admin.example 1 2 3 4 5"},
      // malformed data
      {record_type::a, "\x01\x02\x03", "-"},
      {record_type::a, v4 + "\x01", "-"},
      {record_type::aaaa, v4, "-"},
      {record_type::mx, "\x00"s, "-"},
      {record_type::mx, "\x00\x0A"s + wire("m.example") + "x", "-"},
      {record_type::txt, "\x06short", "-"},
      {record_type::srv, "\x00\x01"s, "-"},
      {record_type::caa, "\x00\x09tag"s, "-"},
      {record_type::soa, wire("ns.example", "admin.example"), "-"},
      {record_type::ns, "\x3F", "-"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.wanted);
    auto const type = static_cast<unsigned>(c.type);
    CAPTURE(type);
    dns_writer message;
    message.question("a.example", type).record("a.example", type, 60, c.data);
    CHECK(texts(read(message.bytes(), "a.example", c.type)) == c.wanted);
  }
}

TEST_CASE("only records that the question asks for are used") {
  dns_writer message;
  message.question("a.example", 1)
      .record("other.example", 1, 60, v4)
      .record("a.example", 16, 60, "\x01x")
      .record("a.example", 1, 60, v4, 3)
      .record("A.Example", 1, 30, v4)
      .record("a.example", 1, 90, "\x01\x02\x03\x04");
  auto const got = read(message.bytes());
  CHECK(texts(got) == "203.0.113.9|1.2.3.4");
  CHECK(got->ttl == std::chrono::seconds(30));
  CHECK(got->records[0].address == ip_address::parse("203.0.113.9"));
}

TEST_CASE("aliases are followed, in any order, and lower the TTL") {
  dns_writer message;
  message.question("a.example", 1)
      .record("c.example", 1, 300, v4)
      .record("b.example", 5, 20, dns_writer::wire_name("c.example"))
      .record("a.example", 5, 100, dns_writer::wire_name("B.example"))
      .record("d.example", 1, 1, "\x01\x02\x03\x04");
  auto const got = read(message.bytes());
  CHECK(texts(got) == "203.0.113.9");
  CHECK(got->ttl == std::chrono::seconds(20));
  CHECK(texts(read(message.bytes(), "a.example", record_type::cname)) == "b.example");
}

TEST_CASE("an alias of itself, and a chain that is too long") {
  dns_writer loop;
  loop.record("a.example", 5, 60, dns_writer::wire_name("a.example"));
  CHECK(texts(read(loop.bytes())) == "-");
  for (int const length : {16, 17}) {
    CAPTURE(length);
    dns_writer chain;
    auto const link = [](int i) { return i == 0 ? "a.example" : "x" + std::to_string(i) + ".example"; };
    for (int i = 0; i < length; ++i) chain.record(link(i), 5, 60, dns_writer::wire_name(link(i + 1)));
    chain.record(link(length), 1, 60, v4);
    CHECK(texts(read(chain.bytes())) == (length == 16 ? "203.0.113.9" : "-"));
  }
}

TEST_CASE("result codes, and answers without records") {
  dns_writer none;
  none.question("a.example", 1);
  auto got = read(none.bytes());
  REQUIRE(got);
  CHECK(got->rcode == 0);
  CHECK(got->records.empty());
  CHECK(got->ttl == std::chrono::seconds(0));
  CHECK(read(dns_writer(3).bytes())->rcode == 3);
  CHECK(read(dns_writer(2).bytes())->rcode == 2);
}

TEST_CASE("TTLs above 2^31 - 1 count as zero") {
  for (auto const& [ttl, seconds] : {std::pair{0U, 0}, {0x7FFFFFFFU, 0x7FFFFFFF}, {0x80000000U, 0}, {~0U, 0}}) {
    dns_writer message;
    message.record("a.example", 1, ttl, v4);
    CHECK(read(message.bytes())->ttl == std::chrono::seconds(seconds));
  }
}

TEST_CASE("compressed names, and those that lead nowhere or round and round") {
  auto const with_owner = [](std::string_view owner) {
    dns_writer message;
    message.question("a.example", 1);
    message.count(7);
    message.raw(owner).u16(1).u16(1).u32(60).u16(4).raw(v4);
    return message.bytes();
  };
  CHECK(texts(read(with_owner("\xC0\x0C"sv))) == "203.0.113.9");  // the question's name
  CHECK(texts(read(with_owner("\x01"
                              "a\xC0\x0E"sv))) == "203.0.113.9");  // a label, then its rest
  CHECK(texts(read(with_owner("\xC0\x1B"sv))) == "-");             // itself
  CHECK(texts(read(with_owner("\xC0\x1D"sv))) == "-");             // forward
  CHECK(texts(read(with_owner("\xFF\xFF"sv))) == "-");             // outside
  CHECK(texts(read(with_owner("\x40"
                              "a"sv))) == "-");  // a reserved kind of label
  CHECK(texts(read(with_owner("\x01"
                              "a\xC0\x1B"sv))) == "-");  // a loop with a label in it
  std::string endless;
  for (int i = 0; i < 5; ++i) endless += '\x3F' + std::string(63, 'a');
  CHECK(texts(read(with_owner(endless + '\0'))) == "-");
}

TEST_CASE("a name has at most 32 compression pointers") {
  // The data of a first record: a name, and pointers that each lead to the one before.
  auto const message = [](int pointers, int records) {
    dns_writer chain;
    chain.raw(dns_writer::wire_name("b.example")).u16(16).u16(1).u32(60);
    auto const data = chain.size() + 2;
    auto const name = dns_writer::wire_name("a.example");
    chain.u16(static_cast<unsigned>(name.size()) + 2U * static_cast<unsigned>(pointers)).raw(name);
    for (int i = 0; i < pointers; ++i) chain.u16(0xC000U | static_cast<unsigned>(i == 0 ? data : chain.size() - 2));
    auto const last = 0xC000U | static_cast<unsigned>(chain.size() - 2);
    for (int i = 0; i < records; ++i) chain.u16(last).u16(1).u16(1).u32(60).u16(4).raw(v4);
    auto bytes = chain.bytes();
    bytes[6] = static_cast<char>((records + 1) >> 8);
    bytes[7] = static_cast<char>((records + 1) & 0xFF);
    return bytes;
  };
  // The owner itself begins with a pointer.
  CHECK(texts(read(message(31, 1))) == "203.0.113.9");
  CHECK(texts(read(message(32, 1))) == "-");
  auto const before = std::clock();
  CHECK(texts(read(message(8000, 900))) == "-");
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 50);
}

TEST_CASE("an answer has at most 1000 records, and repeats at most one question") {
  auto const action = [](int records, int questions) {
    dns_writer message;
    for (int i = 0; i < questions; ++i) message.raw(dns_writer::wire_name("a.example")).u16(1).u16(1);
    for (int i = 0; i < records; ++i)
      message.raw(dns_writer::wire_name("a.example")).u16(1).u16(1).u32(60).u16(4).raw(v4);
    auto bytes = message.bytes();
    bytes[5] = static_cast<char>(questions);
    bytes[6] = static_cast<char>(records >> 8);
    bytes[7] = static_cast<char>(records & 0xFF);
    return bytes;
  };
  CHECK(read(action(1000, 1))->records.size() == 1000);
  CHECK(read(action(1000, 0))->records.size() == 1000);
  CHECK_FALSE(read(action(1001, 1)));
  CHECK_FALSE(read(action(1, 2)));
}

TEST_CASE("odd bytes of names are written as numbers, so that no two names are one") {
  dns_writer message;
  message.record("a.example", 2, 60, "\x03x.y\x02\xFF\x00\x00"sv);
  CHECK(texts(read(message.bytes(), "a.example", record_type::ns)) == "x\\046y.\\255\\000");
}

TEST_CASE("a message that is cut anywhere is refused, and so is a question") {
  dns_writer message;
  message.question("a.example", 1).record("a.example", 1, 60, v4);
  REQUIRE(read(message.bytes()));
  for (std::size_t i = 0; i < message.size(); ++i) CHECK_FALSE(read(std::string_view(message.bytes()).substr(0, i)));
  auto question = message.bytes();
  question[2] = 1;
  CHECK_FALSE(read(question));
}
