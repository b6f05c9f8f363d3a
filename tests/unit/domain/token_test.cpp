#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("the published test vector of the checksum") {
  // CRC-32/ISO-HDLC of the first 41 characters is 0x29717C48; clients test their own check against this token.
  std::string const body = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV";
  auto const token = body + token_checksum(body);
  CHECK(token == "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O");
  REQUIRE(read_token(token).has_value());
  CHECK(read_token(token)->kind == token_kind::cli);
}

TEST_CASE("a minted token of each kind reads back, and one changed character does not") {
  for (auto kind : {token_kind::cli, token_kind::test, token_kind::trigger, token_kind::legacy_trigger}) {
    auto const made = mint_token(kind);
    std::string text(made.key.reveal());
    CAPTURE(to_string(kind));
    auto const read = read_token(text);
    REQUIRE(read.has_value());
    CHECK(read->kind == kind);
    CHECK(read->digest == made.digest);
    CHECK(made.start == text.substr(0, prefix_of(kind).size() + 4) + "...");
    for (std::size_t i = prefix_of(kind).size(); i < text.size(); ++i) {
      auto changed = text;
      changed[i] = changed[i] == 'a' ? 'b' : 'a';
      CHECK_FALSE(read_token(changed).has_value());
    }
  }
}

TEST_CASE("a runner token reads back as nothing else, and one changed character does not") {
  auto const made = mint_runner_token();
  std::string const text(made.key.reveal());
  CHECK(text.starts_with("svc_runner_"));
  CHECK(read_runner_token(text).value() == made.digest);
  CHECK_FALSE(read_token(text).has_value());
  CHECK(made.start == text.substr(0, runner_prefix.size() + 4) + "...");
  CHECK(without_tokens("a " + text + " b") == "a svc_runner_*** b");
  CHECK_FALSE(read_runner_token("").has_value());
  CHECK_FALSE(read_runner_token(text + "a").has_value());
  CHECK_FALSE(read_runner_token(mint_token(token_kind::cli).key.reveal()).has_value());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto changed = text;
    changed[i] = changed[i] == 'a' ? 'b' : 'a';
    CHECK_FALSE(read_runner_token(changed).has_value());
    changed[i] = '-';
    CHECK_FALSE(read_runner_token(changed).has_value());
  }
}

TEST_CASE("keys of heartbeats have a checksum of their own length") {
  auto const made = mint_ping_key();
  std::string const text(made.key.reveal());
  CHECK(text.starts_with("svc_beat_"));
  CHECK(text.size() == 9 + 24 + 6);
  CHECK(read_ping_key(text).value() == made.digest);
  CHECK(read_ping_key(mint_runner_token().key.reveal()).error().code == errc::not_found);
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto changed = text;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    CHECK_FALSE(read_ping_key(changed).has_value());
  }
  CHECK_FALSE(read_ping_key(text + "0").has_value());
  CHECK_FALSE(read_ping_key("").has_value());
  CHECK(without_tokens("/api/heartbeats/" + text + "/fail") == "/api/heartbeats/svc_beat_***/fail");
}

TEST_CASE("text that looks like a credential is hidden, whatever surrounds it") {
  struct {
    char const* name;
    std::string text, expected;
  } const cases[] = {
      {"empty", "", ""},
      {"nothing to hide", "/name: job_id svc_live_ a", "/name: job_id svc_live_ a"},
      {"a token", "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O", "svc_live_***"},
      {"within a sentence", "no /svc_trigger_0123456789abcdef!", "no /svc_trigger_***!"},
      {"two", "svc_test_0123456789 job_0123456789abcdef0123456789abcdef", "svc_test_*** job_***"},
      {"one in another", "svc_live_job_0123456789abcdef01234567", "svc_live_job_***"},
      {"a type of alerts", "must be job_success or job_recovered, not 'job_recovere'",
       "must be job_success or job_recovered, not 'job_recovere'"},
      {"a name of a job", "There is no job 'job_abcdefghi' nor 'job_backup20261128'.",
       "There is no job 'job_abcdefghi' nor 'job_backup20261128'."},
      {"a word after a token's prefix", "svc_live_environment", "svc_live_environment"},
      {"cut off", "svc_live_01234567", "svc_live_***"},
      {"too short to matter", "svc_live_0123456", "svc_live_0123456"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(without_tokens(c.text) == c.expected);
  }
}

TEST_CASE("tokens that can be refused without asking a store") {
  struct {
    char const* name;
    std::string text;
    bool good;
  } const table[] = {
      {"empty", "", false},
      {"unknown prefix", "svc_runner_0123456789abcdef0123456789abcdef", false},
      {"prefix alone", "svc_live_", false},
      {"older CLI token, 32 hex, no checksum", "svc_live_0123456789abcdef0123456789abcdef", true},
      {"older legacy key", "job_0123456789abcdef0123456789abcdef", true},
      {"foreign character", "svc_live_0123456789abcdef0123456789abcde-", false},
      {"our length, bad checksum", "svc_live_" + std::string(38, 'A'), false},
      {"one shorter has no checksum", "svc_live_" + std::string(37, 'A'), true},
      {"one longer has no checksum", "svc_live_" + std::string(39, 'A'), true},
      {"256 characters", "job_" + std::string(252, 'A'), true},
      {"257 characters", "job_" + std::string(253, 'A'), false},
      {"upper-case prefix", "SVC_LIVE_0123456789abcdef0123456789abcdef", false},
  };
  for (auto const& row : table) {
    CAPTURE(row.name);
    auto const read = read_token(row.text);
    CHECK(read.has_value() == row.good);
    if (!row.good) CHECK(read.error().code == errc::invalid_token);
  }
}

TEST_CASE("both stored spellings give the same digest") {
  auto const digest = sha256("svc_live_x");
  CHECK(parse_stored_digest(to_hex(digest)) == digest);
  CHECK(parse_stored_digest(to_base64url(digest)) == digest);
  CHECK_FALSE(parse_stored_digest(to_hex(digest).substr(1)));
  CHECK_FALSE(parse_stored_digest(std::string(64, 'A')));
  CHECK_FALSE(parse_stored_digest(std::string(43, '=')));
}

TEST_CASE("secrets of sessions, links and invitations read back as nothing else, and never as a bearer credential") {
  struct {
    minted_token minted;
    std::string_view prefix;
    result<sha256_digest> (*read)(std::string_view);
    errc refusal;
  } const cases[] = {
      {mint_token(token_kind::session), "svc_session_", read_session_secret, errc::session_invalid},
      {mint_link_secret(), "svc_link_", read_link_secret, errc::link_over},
      {mint_invitation_secret(), "svc_invite_", read_invitation_secret, errc::link_over},
  };
  for (auto const& c : cases) {
    std::string text(c.minted.key.reveal());
    CAPTURE(c.prefix);
    CHECK(text.starts_with(c.prefix));
    CHECK(text.size() == c.prefix.size() + 38);
    REQUIRE(c.read(text).has_value());
    CHECK(*c.read(text) == c.minted.digest);
    CHECK(*c.read(text) == sha256(text));
    CHECK(read_token(text).error().code == errc::invalid_token);
    for (auto const& other : cases)
      if (other.prefix != c.prefix) CHECK(other.read(text).error().code == other.refusal);
    CHECK(without_tokens("a " + text + " b") == "a " + std::string(c.prefix) + "*** b");
    for (auto const& wrong : {text.substr(0, text.size() - 1), text + "0", std::string(c.prefix), std::string()})
      CHECK(c.read(wrong).error().code == c.refusal);
    text.back() = text.back() == 'a' ? 'b' : 'a';
    CHECK(c.read(text).error().code == c.refusal);
  }
  // Older tokens have no checksum; there are no older sessions.
  CHECK(read_token("svc_session_" + std::string(32, 'a')).error().code == errc::invalid_token);
  CHECK_FALSE(parse_token_kind("session"));
}
