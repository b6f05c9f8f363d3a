#include "egress/mail/transaction.hpp"

#include "egress/http/curl_failure.hpp"
#include "egress/http/multi.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

namespace svc::egress {

namespace {

std::string url_of(mail_server const& server) {
  return std::string(server.secure ? "smtps://" : "smtp://") + server.host.in_url() + ":" +
         std::to_string(server.port);
}

/// libcurl reports by these codes that the server's reply was not the expected one.
bool is_reply(CURLcode code) {
  switch (code) {
    case CURLE_SEND_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_REMOTE_ACCESS_DENIED:
    case CURLE_LOGIN_DENIED:
    case CURLE_AUTH_ERROR:
      return true;
    default:
      return false;
  }
}

long use_of_tls(mail_settings const& settings) {
  if (settings.tls == mail_tls::off) return CURLUSESSL_NONE;
  return settings.tls == mail_tls::opportunistic && settings.username.empty() ? CURLUSESSL_TRY : CURLUSESSL_ALL;
}

}  // namespace

mail_transaction::mail_transaction(std::shared_ptr<mail_settings const> settings,
                                   std::shared_ptr<trust_store const> trust, mail mail, steady::time_point until)
    : settings_(std::move(settings)), mail_(std::move(mail)), until_(until), check_(std::move(trust), {}, true) {}

mail_answer mail_transaction::run() {
  auto const left = std::chrono::ceil<milliseconds>(until_ - steady::now()).count();
  if (given_up_) return {.error = failure::cancelled};
  if (left <= 0) return {.error = failure::connect_timeout};
  std::unique_ptr<CURL, free_easy> const easy(curl_easy_init());
  if (!easy) throw std::bad_alloc();
  set_mail(easy.get());
  auto const code = perform(easy.get(), milliseconds(left));
  return answer_of(easy.get(), code);
}

mail_trial mail_transaction::try_session() {
  auto const left = std::chrono::ceil<milliseconds>(until_ - steady::now());
  std::unique_ptr<CURL, free_easy> const easy(curl_easy_init());
  if (!easy) throw std::bad_alloc();
  set_option(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
  auto const code = perform(easy.get(), std::max(left, milliseconds(1)));
  mail_trial out{.answer = answer_of(easy.get(), code)};
  if (code != CURLE_OK) out.reason = text_[0] != '\0' ? text_.data() : curl_easy_strerror(code);
  return out;
}

CURLcode mail_transaction::perform(CURL* easy, milliseconds left) {
  set_server(easy);
  set_tls(easy);
  set_callbacks(easy);
  set_option(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
  auto const code = curl_easy_perform(easy);
  // The connection is kept until the handle is freed, which says QUIT and would then wait for the reply: a server
  // that has taken the mail and says nothing more must not hold it up.
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
  if (socket != CURL_SOCKET_BAD) ::shutdown(socket, SHUT_RD);
  return code;
}

mail_trial try_mail_server(std::shared_ptr<mail_settings const> settings, std::shared_ptr<trust_store const> trust,
                           deadline until) {
  start_curl();
  return mail_transaction(std::move(settings), std::move(trust), {}, until.at()).try_session();
}

void mail_transaction::set_server(CURL* easy) {
  set_option(easy, CURLOPT_URL, url_of(settings_->server).c_str());
  set_option(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  set_option(easy, CURLOPT_PROXY, "");
  set_option(easy, CURLOPT_NOPROXY, "*");
  set_option(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set_option(easy, CURLOPT_NOSIGNAL, 1L);
  // Its thread of getaddrinfo is not waited for when the attempt ends before.
  set_option(easy, CURLOPT_QUICK_EXIT, 1L);
  set_option(easy, CURLOPT_ERRORBUFFER, text_.data());
  if (settings_->username.empty()) return;
  set_option(easy, CURLOPT_USERNAME, settings_->username.c_str());
  std::string password(settings_->password.reveal());
  set_option(easy, CURLOPT_PASSWORD, password.c_str());
  wipe(password);
  // Not GSSAPI or NTLM, which ask this machine for tickets.
  set_option(easy, CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN;AUTH=CRAM-MD5");
}

void mail_transaction::set_tls(CURL* easy) {
  set_option(easy, CURLOPT_USE_SSL, use_of_tls(*settings_));
  set_option(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set_option(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  set_option(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set_option(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  // The chain is verified by `certificate_check`, as for HTTP.
  set_option(easy, CURLOPT_CAINFO, static_cast<char const*>(nullptr));
  set_option(easy, CURLOPT_CAPATH, static_cast<char const*>(nullptr));
  set_option(easy, CURLOPT_SSL_CTX_FUNCTION, &mail_transaction::set_up_tls);
  set_option(easy, CURLOPT_SSL_CTX_DATA, this);
}

void mail_transaction::set_mail(CURL* easy) {
  set_option(easy, CURLOPT_MAIL_FROM, ("<" + settings_->sender + ">").c_str());
  recipients_.reset(curl_slist_append(nullptr, ("<" + mail_.recipient + ">").c_str()));
  if (!recipients_) throw std::bad_alloc();
  set_option(easy, CURLOPT_MAIL_RCPT, recipients_.get());
  set_option(easy, CURLOPT_UPLOAD, 1L);
  set_option(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(mail_.content.size()));
}

void mail_transaction::set_callbacks(CURL* easy) {
  set_option(easy, CURLOPT_READFUNCTION, &mail_transaction::give_content);
  set_option(easy, CURLOPT_READDATA, this);
  set_option(easy, CURLOPT_WRITEFUNCTION, &mail_transaction::pass_over);
  set_option(easy, CURLOPT_HEADERFUNCTION, &mail_transaction::pass_over);
  set_option(easy, CURLOPT_NOPROGRESS, 0L);
  set_option(easy, CURLOPT_XFERINFOFUNCTION, &mail_transaction::look_around);
  set_option(easy, CURLOPT_XFERINFODATA, this);
  set_option(easy, CURLOPT_PREREQFUNCTION, &mail_transaction::note_session);
  set_option(easy, CURLOPT_PREREQDATA, this);
  set_option(easy, CURLOPT_OPENSOCKETFUNCTION, &mail_transaction::open_socket);
}

mail_answer mail_transaction::answer_of(CURL* easy, CURLcode code) const {
  long reply = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &reply);
  if (code == CURLE_OK) return {.error = failure::none, .status = 250, .in_session = true};
  if (given_up_) return {.error = failure::cancelled};
  if (is_reply(code) && reply >= 400)
    return {.error = failure::none, .status = static_cast<int>(reply), .in_session = in_session_};
  if (code == CURLE_COULDNT_RESOLVE_HOST) return {.error = failure::dns_failed};
  long error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &error);
  return {.error = failure_of({.code = code,
                               .phase = http_phase::first_byte,
                               .os_error = static_cast<int>(error),
                               .verify_error = check_.error(),
                               .text = text_.data()}),
          .in_session = in_session_};
}

std::size_t mail_transaction::give_content(char* buffer, std::size_t unit, std::size_t size, void* self) noexcept {
  auto& transaction = *static_cast<mail_transaction*>(self);
  auto const count = std::min(unit * size, transaction.mail_.content.size() - transaction.given_);
  std::memcpy(buffer, transaction.mail_.content.data() + transaction.given_, count);
  transaction.given_ += count;
  return count;
}

std::size_t mail_transaction::pass_over(char* /*bytes*/, std::size_t unit, std::size_t size,
                                        void* /*self*/) noexcept {
  return unit * size;
}

int mail_transaction::look_around(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<mail_transaction*>(self)->given_up_ ? 1 : 0;
}

/// Greeting, EHLO, TLS and AUTH are over: what is refused from here on is the mail.
int mail_transaction::note_session(void* self, char* /*peer*/, char* /*local*/, int /*port*/,
                                   int /*local_port*/) noexcept {
  static_cast<mail_transaction*>(self)->in_session_ = true;
  return CURL_PREREQFUNC_OK;
}

CURLcode mail_transaction::set_up_tls(CURL* /*easy*/, void* context, void* self) noexcept {
  return static_cast<mail_transaction*>(self)->check_.attach(static_cast<SSL_CTX*>(context)) ? CURLE_OK
                                                                                             : CURLE_SSL_CERTPROBLEM;
}

curl_socket_t mail_transaction::open_socket(void* /*self*/, curlsocktype /*purpose*/,
                                            curl_sockaddr* sockaddr) noexcept {
  return ::socket(sockaddr->family, sockaddr->socktype | SOCK_CLOEXEC, sockaddr->protocol);
}

}  // namespace svc::egress
