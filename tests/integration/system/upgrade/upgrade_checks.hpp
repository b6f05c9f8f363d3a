#pragma once

#include "upgrade_clients.hpp"

#include <string>

namespace svc::test {

/// The svcd of the previous version, which `make test-upgrade` builds and names by TEST_PREVIOUS_SVCD; empty without
/// it.
std::string previous_program();

/// `svcd migrate` of this version, on the stores of `fleet`.
void migrate(fleet const& fleet);

/// Waits until this number of further runs was accepted, so that each part of a test has its load.
void let_pass(upgrade_clients& clients, std::size_t runs);

/// Ends all clients, the runners once the queue is empty.
void finish(upgrade_clients& clients, fleet const& fleet);

/// Each accepted trigger is one run, which was claimed once and ended as it was reported, or was cancelled before; no
/// promise was broken. The runs are read at `door`, as its user with that token.
void check_runs(upgrade_clients& clients, fleet const& fleet, upgrade_door& door, std::string const& token,
                std::int64_t most_at_once);

/// No request failed, and each kind was made on every one of these versions. `excused`: an answer that is no failure.
void check_answers(upgrade_facts const& facts, std::vector<std::string> const& versions, std::string const& excused);

}  // namespace svc::test
