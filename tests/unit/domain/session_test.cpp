#include "svc/domain/session.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace svc;

TEST_CASE("a session has another record for each scope, and no other session has it") {
  presented_session const first{sha256("a"), {}};
  auto const id = uuid::generate_v7();
  std::set<sha256_digest> keys;
  for (auto const& digest : {sha256("a"), sha256("b")})
    for (auto const& scope : {session_scope{}, session_scope{session_scope_kind::organization, id},
                              session_scope{session_scope_kind::project, id},
                              session_scope{session_scope_kind::project, uuid::generate_v7()}})
      keys.insert(session_record_key({digest, scope}));
  CHECK(keys.size() == 8);
  CHECK(session_record_key(first) == session_record_key({sha256("a"), {}}));
  CHECK_FALSE(keys.contains(first.digest));
  // The key as the specification has it: digest, kind of the scope, id of the scope.
  std::string text(first.digest.begin(), first.digest.end());
  text += std::string(17, '\0');
  CHECK(session_record_key(first) == sha256(text));
}
