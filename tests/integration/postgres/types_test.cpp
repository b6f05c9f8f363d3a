#include "fixture.hpp"

#include <cmath>
#include <random>

using namespace svc;
using namespace svc::test;
using postgres::parameters;

TEST_CASE("every type returns as it was sent") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.prepared_statements = prepared});
    uuid const id = uuid::generate_v7();
    timestamp const moment{1'795'000'000'123'456};
    std::vector<uuid> const ids{id, uuid{}};
    std::vector<std::string> const texts{"", "NULL", "a,b", "{x}", "quote\" back\\slash", " blank ", "\xc3\xa4"};
    std::vector<std::int64_t> const numbers{INT64_MIN, -1, 0, INT64_MAX};
    byte_vector const raw{0, 255, 1, 0};

    auto const got =
        db.must({{"types",
                  "SELECT $1::text, $2::int8, $3::bool, $4::uuid, $5::timestamptz, $6::bytea, $7::uuid[], "
                  "$8::text[], $9::int8[], $10::jsonb, $11::json, $12::text, $2::int8 * 0.5::float8"},
                 parameters("text", std::int64_t{-42}, true, id, moment, raw, ids, texts, numbers,
                            R"({"a": [1, "\u00e4"]})", "[1]", nullptr)});
    auto const r = got.front();
    CHECK(got.size() == 1);
    CHECK(r.text(0) == "text");
    CHECK(r.integer(1) == -42);
    CHECK(r.boolean(2));
    CHECK(r.id(3) == id);
    CHECK(r.time(4) == moment);
    CHECK(as_text(r.bytes(5)) == as_text(raw));
    CHECK(r.ids(6) == ids);
    CHECK(r.texts(7) == texts);
    CHECK(r.integers(8) == numbers);
    CHECK(r.text(9) == "{\"a\": [1, \"\xc3\xa4\"]}");
    CHECK(r.text(10) == "[1]");
    CHECK(r.is_null(11));
    CHECK(r.maybe_text(11) == std::nullopt);
    CHECK(r.real(12) == -21.0);
  }
}

TEST_CASE("empty arrays, small numbers, enums and names") {
  database db;
  db.must({{"enum", "DO $$ BEGIN CREATE TYPE mood AS ENUM ('calm'); EXCEPTION WHEN duplicate_object THEN END $$"}});
  auto const got = db.must({{"small",
                             "SELECT $1::uuid[], $2::text[], $3::int8[], (-7)::int2, 7::int4, 'calm'::mood, "
                             "'n'::name, 1.5::float4, $4::mood[]::text[]"},
                            parameters(std::vector<uuid>{}, std::vector<std::string>{}, std::vector<std::int64_t>{},
                                       std::vector<std::string>{"calm"})});
  auto const r = got.front();
  CHECK(r.ids(0).empty());
  CHECK(r.texts(1).empty());
  CHECK(r.integers(2).empty());
  CHECK(r.integer(3) == -7);
  CHECK(r.integer(4) == 7);
  CHECK(r.text(5) == "calm");
  CHECK(r.text(6) == "n");
  CHECK(r.real(7) == 1.5);
  CHECK(r.texts(8) == std::vector<std::string>{"calm"});
}

TEST_CASE("the server's text of timestamps agrees with ours") {
  database db;
  struct {
    char const* moment;
    std::int64_t micros;
  } const cases[] = {{"1970-01-01T00:00:00Z", 0},
                     {"1969-12-31T23:59:59.999999Z", -1},
                     {"2000-01-01T00:00:00Z", 946'684'800'000'000},
                     {"0001-01-01T00:00:00Z", -62'135'596'800'000'000},
                     {"9999-12-31T23:59:59.999999Z", 253'402'300'799'999'999}};
  for (auto const& c : cases) {
    CAPTURE(c.moment);
    auto const got = db.must({{"moment", "SELECT $1::text::timestamptz, $2::timestamptz = $1::text::timestamptz"},
                              parameters(c.moment, timestamp{c.micros})});
    CHECK(got.front().time(0).micros == c.micros);
    CHECK(got.front().boolean(1));
  }
  auto const endless = db.must({{"endless", "SELECT 'infinity'::timestamptz, '-infinity'::timestamptz"}});
  CHECK_THROWS_AS(endless.front().time(0), std::logic_error);
  CHECK_THROWS_AS(endless.front().time(1), std::logic_error);
}

TEST_CASE("a NUL byte is refused, not cut off") {
  database db;
  std::string const cut("ab\0cd", 5);
  auto const text = db.run({{"nul", "SELECT $1::text"}, parameters(cut)});
  REQUIRE(text.has_error());
  CHECK(text.error().sqlstate == "22021");
  auto const array = db.run({{"nuls", "SELECT $1::text[]"}, parameters(std::vector<std::string>{cut})});
  REQUIRE(array.has_error());
  CHECK(array.error().sqlstate == "22P02");
}

TEST_CASE("five megabytes are sent and returned") {
  database db;
  std::string big(5 << 20, 'x');
  big.back() = 'y';
  auto const got = db.must({{"big", "SELECT $1::text, length($1::text)"}, parameters(big)});
  CHECK(got.front().text(0) == big);
  CHECK(got.front().integer(1) == 5 << 20);
  // Answers arrive while requests are still being sent: a client that only writes would hang here.
  std::vector<postgres::query> batch(4, {{"big", "SELECT $1::text, length($1::text)"}, parameters(big)});
  auto const all = db.wait(db.pool.run(std::move(batch), database::soon())).value();
  REQUIRE(all.size() == 4);
  for (auto const& r : all) CHECK(r.front().text(0) == big);
}

TEST_CASE("a wrong reader is a bug that names the column") {
  database db;
  auto const got = db.must({{"wrong", "SELECT 1 AS one, NULL::text AS nothing"}});
  CHECK_THROWS_WITH_AS(got.front().text(0), "postgres: column 0 (one): type 23 with 4 bytes is no text",
                       std::logic_error);
  CHECK_THROWS_WITH_AS(got.front().text(1), "postgres: column 1 (nothing): NULL", std::logic_error);
  CHECK_THROWS_AS(got.front().integer(2), std::logic_error);
  CHECK_THROWS_AS(got[1].integer(0), std::logic_error);
}

TEST_CASE("arrays of times, and of values that may be missing, return as they were sent") {
  struct item {
    timestamp time;
    std::optional<timestamp> maybe_at;
    std::optional<std::int64_t> number;
    std::optional<std::string_view> text;
  };
  database db;
  std::vector<item> const sent{
      {{1'793'491'200'000'001}, {}, 7, {}}, {{-1}, timestamp{0}, {}, "a\"b"}, {{0}, {}, {}, ""}};
  postgres::query ask{{"maybe_rows",
                       "SELECT at, maybe_at, number, text FROM unnest($1::timestamptz[], $2::timestamptz[],"
                       " $3::bigint[], $4::text[]) WITH ORDINALITY a (at, maybe_at, number, text, place)"
                       " ORDER BY place"}};
  ask.parameters.add_array(sent, [](item const& entry) { return entry.time; });
  ask.parameters.add_array(sent, [](item const& element) { return element.maybe_at; });
  ask.parameters.add_array(sent, [](item const& row) { return row.number; });
  ask.parameters.add_array(sent, [](item const& row) { return row.text; });
  auto const got = db.must(ask);
  REQUIRE(got.size() == 3);
  for (int i = 0; i < 3; ++i) {
    auto const& row = sent[static_cast<std::size_t>(i)];
    CHECK(got[i].time(0) == row.time);
    CHECK(got[i].maybe_time(1) == row.maybe_at);
    CHECK(got[i].maybe_integer(2) == row.number);
    CHECK(got[i].maybe_text(3) == row.text);
  }
}

TEST_CASE("arrays of many rows return as they were sent") {
  struct item {
    uuid id;
    std::int64_t number = 0;
    bool flag = false;
    std::string text;
    byte_vector bytes;
  };
  database db;
  std::mt19937_64 random(7);
  for (std::size_t const count : {0, 1, 2, 3, 64, 500}) {
    CAPTURE(count);
    std::vector<item> sent(count);
    for (item& entry : sent) {
      entry.id = uuid::generate_v7();
      entry.number = static_cast<std::int64_t>(random());
      entry.flag = random() % 2 == 0;
      for (auto left = random() % 40; left > 0; --left) entry.text += static_cast<char>(1 + random() % 127);
      for (auto left = random() % 40; left > 0; --left) entry.bytes.push_back(static_cast<std::uint8_t>(random()));
    }
    postgres::query ask{{"many_rows",
                         "SELECT id, number, flag, text, bytes FROM unnest($1::uuid[], $2::bigint[], $3::boolean[],"
                         " $4::text[], $5::bytea[]) WITH ORDINALITY a (id, number, flag, text, bytes, place)"
                         " ORDER BY place"}};
    ask.parameters.add_array(sent, [](item const& element) { return element.id; });
    ask.parameters.add_array(sent, [](item const& row) { return row.number; });
    ask.parameters.add_array(sent, [](item const& row) { return row.flag; });
    ask.parameters.add_array(sent, [](item const& row) { return std::string_view(row.text); });
    ask.parameters.add_array(sent, [](item const& row) { return byte_view(row.bytes); });
    auto const got = db.must(ask);
    REQUIRE(static_cast<std::size_t>(got.size()) == count);
    for (std::size_t i = 0; i < count; ++i) {
      auto const r = got[static_cast<int>(i)];
      CHECK(r.id(0) == sent[i].id);
      CHECK(r.integer(1) == sent[i].number);
      CHECK(r.boolean(2) == sent[i].flag);
      CHECK(r.text(3) == sent[i].text);
      CHECK(as_text(r.bytes(4)) == as_text(sent[i].bytes));
    }
  }
}
