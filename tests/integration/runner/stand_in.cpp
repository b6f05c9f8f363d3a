#include "stand_in.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/json.hpp>

#include <cstring>
#include <stdexcept>

namespace svc::test {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds patience{60};

std::string text(json::object const& object, char const* name) {
  auto const* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// One request of a keep-alive connection; nothing at its end.
std::optional<std::pair<std::string, std::string>> read_request(int connection, std::string& pending) {
  auto const more = [&] {
    char part[65536];
    auto const n = ::recv(connection, part, sizeof part, 0);
    if (n > 0) pending.append(part, static_cast<std::size_t>(n));
    return n > 0;
  };
  std::size_t end = 0;
  while ((end = pending.find("\r\n\r\n")) == std::string::npos)
    if (!more()) return std::nullopt;
  auto const head = pending.substr(0, end);
  auto const position = head.find("Content-Length: ");
  auto const size = position == std::string::npos ? 0 : std::stoul(head.substr(position + 16, 12));
  while (pending.size() < end + 4 + size)
    if (!more()) return std::nullopt;
  auto body = pending.substr(end + 4, size);
  pending.erase(0, end + 4 + size);
  return std::pair{head, body};
}

}  // namespace

stand_in::stand_in(std::string socket) : socket_(std::move(socket)), listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  std::strncpy(where.sun_path, socket_.c_str(), sizeof(where.sun_path) - 1);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0 || ::listen(listener_, 64) != 0)
    throw std::runtime_error("the stand-in cannot listen");
  acceptor_ = std::thread([this] { accept_all(); });
}

stand_in::~stand_in() {
  {
    lock const held(mutex_);
    ending_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    for (int const each : open_) ::shutdown(each, SHUT_RDWR);
  }
  changed_.notify_all();
  acceptor_.join();
  for (auto& each : connections_) each.join();
  ::close(listener_);
}

void stand_in::accept_all() {
  for (;;) {
    int const connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    lock const held(mutex_);
    if (ending_) {
      ::close(connection);
      return;
    }
    open_.insert(connection);
    connections_.emplace_back([this, connection] { serve(connection); });
  }
}

void stand_in::serve(int connection) {
  std::string pending;
  while (auto got = read_request(connection, pending)) {
    auto const& [head, body] = *got;
    auto const start = head.find(' ') + 1;
    request const r{head.substr(start, head.find(' ', start) - start), body};
    {
      lock const held(mutex_);
      auto const position = head.find("Authorization: ");
      authorization_ = position == std::string::npos
                           ? ""
                           : head.substr(position + 15, head.find("\r\n", position) - position - 15);
    }
    auto const [status, answered] = answer(r);
    if (status == 0) break;
    auto const bytes = "HTTP/1.1 " + std::to_string(status) +
                       " Words\r\nContent-Length: " + std::to_string(answered.size()) + "\r\n\r\n" + answered;
    if (::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) break;
  }
  lock const held(mutex_);
  open_.erase(connection);
  ::close(connection);
}

std::pair<int, std::string> stand_in::answer(request const& r) {
  auto const body = json::parse(r.body).as_object();
  lock held(mutex_);
  auto const call = r.target.substr(r.target.rfind('/') + 1);
  ++counts_[call];
  changed_.notify_all();
  int forced = 200;
  if (auto& next = next_[call]; !next.empty()) {
    forced = next.front();
    next.pop_front();
    if (forced == 200 && call == "claim") return {200, R"({"claims":[]})"};
    if (forced != 0) return {forced, R"({"code":"forced","error":"As the test wants."})"};
  }
  std::pair<int, std::string> out{404, "{}"};
  if (call == "register") {
    registration_ = body;
    out = {200, R"({"executorId":"e1","scope":"project","leaseSeconds":30,"longPollSeconds":30})"};
  } else if (call == "claim") {
    out = claim(body, held);
  } else if (r.target.starts_with("/internal/v1/runs/")) {
    out = about_run(r.target.substr(18, r.target.rfind('/') - 18), call, body, held);
  }
  changed_.notify_all();
  return forced == 0 ? std::pair<int, std::string>{0, ""} : out;
}

std::pair<int, std::string> stand_in::claim(json::object const& body, lock& held) {
  changed_.wait_for(held, std::chrono::seconds(body.at("waitSeconds").as_int64()),
                    [&] { return ending_ || !queued_.empty(); });
  json::array claims;
  for (auto left = body.at("max").as_int64(); left > 0 && !queued_.empty(); --left) {
    auto next = std::move(queued_.front());
    queued_.pop_front();
    if (apart_ && body.contains("scriptsApart")) take_scripts(next);
    claims.emplace_back(std::move(next));
  }
  return {200, json::serialize(json::object{{"claims", std::move(claims)}})};
}

void stand_in::take_scripts(json::object& claim) {
  for (auto& each : claim.at("tests").as_array()) {
    auto& test = each.as_object();
    auto const script = test.at("script");
    if (!script.as_string().empty())
      scripts_[text(claim, "runId")].push_back(
          json::object{{"id", test.at("id")}, {"version", script}, {"script", script}});
    test.erase("script");
    test["version"] = script;
  }
}

std::pair<int, std::string> stand_in::about_run(std::string const& run, std::string const& call,
                                                json::object const& body, lock& held) {
  auto& state = runs_[run];
  if (call == "heartbeat")
    changed_.wait_for(held, std::chrono::seconds(body.at("waitSeconds").as_int64()),
                      [&] { return ending_ || state.cancelled || state.lost; });
  if (state.lost || text(body, "claimId") != "claim-of-" + run)
    return {409, R"({"code":"claim_lost","error":"Gone."})"};
  if (call == "heartbeat")
    return {200, json::serialize(json::object{{"cancel", state.cancelled}, {"leaseSeconds", 30}})};
  if (call == "scripts" && apart_) {
    // One at a time, so that the others have to be asked for again.
    json::array given;
    bool more = false;
    for (auto const& script : scripts_[run]) {
      bool asked = false;
      for (auto const& id : body.at("tests").as_array()) asked = asked || id == script.at("id");
      if (asked && given.empty())
        given.push_back(script);
      else
        more = more || asked;
    }
    return {200, json::serialize(json::object{{"scripts", std::move(given)}, {"more", more}})};
  }
  if (call == "output") {
    for (auto const& each : body.at("lines").as_array()) {
      auto const& line = each.as_object();
      // Repeated lines are skipped; a hole would show as a missing line.
      if (line.at("seq").as_int64() == static_cast<std::int64_t>(state.lines.size()) + 1)
        state.lines.emplace_back(line.at("text").as_string());
    }
    return {200, json::serialize(json::object{{"through", state.lines.size()}})};
  }
  if (call == "complete") {
    if (refuses_whole_ && body.contains("wholeOutput"))
      return {400, R"({"code":"validation_failed","error":"Not known."})"};
    state.completion = body;
    if (auto const* const whole = body.if_contains("wholeOutput"))
      for (auto const& line : whole->as_array()) state.lines.emplace_back(line.at("text").as_string());
  }
  if (call == "release") state.released = true;
  return {204, ""};
}

template <class Condition>
void stand_in::wait(Condition holds) {
  lock held(mutex_);
  if (!changed_.wait_for(held, patience, holds)) throw std::runtime_error("the runner never did what was expected");
}

void stand_in::queue(std::string const& run, json::object members) {
  members["runId"] = run;
  members["claimId"] = "claim-of-" + run;
  for (auto const& [name, value] :
       json::object{{"attempt", 1}, {"jobType", "command"}, {"timeoutSeconds", 60}, {"leaseSeconds", 30}})
    if (!members.contains(name)) members[name] = value;
  {
    lock const held(mutex_);
    queued_.push_back(std::move(members));
  }
  changed_.notify_all();
}

void stand_in::give_scripts_apart() {
  lock const held(mutex_);
  apart_ = true;
}

void stand_in::refuse_whole_outputs() {
  lock const held(mutex_);
  refuses_whole_ = true;
}

void stand_in::cancel(std::string const& run) {
  {
    lock const held(mutex_);
    runs_[run].cancelled = true;
  }
  changed_.notify_all();
}

void stand_in::lose(std::string const& run) {
  {
    lock const held(mutex_);
    runs_[run].lost = true;
  }
  changed_.notify_all();
}

void stand_in::answer_next(std::string const& target_end, std::vector<int> statuses) {
  lock const held(mutex_);
  for (int const each : statuses) next_[target_end].push_back(each);
}

json::object stand_in::completion(std::string const& run) {
  wait([&] { return runs_[run].completion.has_value(); });
  lock const held(mutex_);
  return *runs_[run].completion;
}

bool stand_in::completed(std::string const& run) {
  lock const held(mutex_);
  return runs_[run].completion.has_value();
}

void stand_in::wait_released(std::string const& run) {
  wait([&] { return runs_[run].released; });
}

void stand_in::wait_line(std::string const& run, std::string const& text) {
  wait([&] {
    for (auto const& line : runs_[run].lines)
      if (line.find(text) != std::string::npos) return true;
    return false;
  });
}

std::vector<std::string> stand_in::lines(std::string const& run) {
  lock const held(mutex_);
  return runs_[run].lines;
}

std::string stand_in::all(std::string const& run) {
  std::string out;
  for (auto const& line : lines(run)) out += line + "\n";
  return out;
}

json::object stand_in::registration() {
  wait([&] { return registration_.has_value(); });
  lock const held(mutex_);
  return *registration_;
}

std::string stand_in::authorization() {
  lock const held(mutex_);
  return authorization_;
}

void stand_in::wait_count(std::string const& target_end, int times) {
  wait([&] { return counts_[target_end] >= times; });
}

int stand_in::count(std::string const& target_end) {
  lock const held(mutex_);
  return counts_[target_end];
}

}  // namespace svc::test
