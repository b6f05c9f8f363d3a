// A provider that sends what a certified one never would: forged tokens, wrong documents, no answer at all.
#pragma once

#include "integration/egress/http_server.hpp"
#include "support/signing_key.hpp"
#include "support/throwaway_ca.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace svc::test {

/// Answers with what the test chose, over TLS.
class forging_provider {
 public:
  forging_provider() : server_({.tls = &authority_}, [this](http_connection& connection) { answer(connection); }) {
    documents_["/.well-known/openid-configuration"] = answer_of(200, {}, boost::json::serialize(metadata()));
    set_keys("{\"keys\":[" + key.jwk(R"("kid":"1",)") + "]}");
  }

  std::string issuer() const { return "https://127.0.0.1:" + std::to_string(server_.port()); }
  boost::json::object metadata() const {
    return {{"issuer", issuer()},
            {"authorization_endpoint", issuer() + "/auth"},
            {"token_endpoint", issuer() + "/token"},
            {"jwks_uri", issuer() + "/keys"}};
  }
  std::string const& authority() const { return authority_.authority; }
  void set(std::string const& path, std::string whole_answer) {
    std::lock_guard const hold(lock_);
    documents_[path] = std::move(whole_answer);
  }
  void set_keys(std::string const& keys) { set("/keys", answer_of(200, {}, keys)); }
  void set_token(std::string const& token) {
    set("/token",
        answer_of(200, {},
                  boost::json::serialize(boost::json::object{{"token_type", "Bearer"}, {"id_token", token}})));
  }
  /// Claims that would sign somebody in.
  boost::json::object claims(std::string const& nonce) const {
    auto const now = static_cast<std::int64_t>(std::time(nullptr));
    return {{"iss", issuer()}, {"aud", "svc"},   {"sub", "person-1"}, {"exp", now + 300},
            {"iat", now},      {"nonce", nonce}, {"groups", {"a"}}};
  }
  /// Signs with the published key, as a certified provider does.
  std::string token(boost::json::object const& claims) const {
    return key.sign("RS256", R"({"alg":"RS256","kid":"1"})", boost::json::serialize(claims));
  }
  std::size_t requests_for(std::string const& path) const {
    std::size_t number = 0;
    for (auto const& each : server_.requests())
      if (each.find(" " + path + " ") != std::string::npos) ++number;
    return number;
  }
  std::string last_request() const { return server_.requests().back(); }

  signing_key key = signing_key::rsa(), stranger = signing_key::rsa();
  std::atomic<bool> silent = false;  ///< requests get no answer

 private:
  void answer(http_connection& connection) {
    auto const request = connection.request();
    if (silent) return connection.hold();
    auto const begin = request.find(' ') + 1;
    auto const path = request.substr(begin, request.find(' ', begin) - begin);
    std::unique_lock hold(lock_);
    auto const found = documents_.find(path);
    auto const bytes = found == documents_.end() ? answer_of(404) : found->second;
    hold.unlock();
    connection.send(bytes);
  }

  throwaway_ca authority_ = make_throwaway_ca("IP:127.0.0.1");
  std::mutex lock_;
  std::map<std::string, std::string> documents_;
  http_server server_;
};

}  // namespace svc::test
