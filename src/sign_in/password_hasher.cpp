#include "svc/sign_in/password_hasher.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/handed_answer.hpp"
#include "svc/core/log.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/random.hpp"
#include "svc/core/thread_name.hpp"

#include <sodium.h>
#include <sys/resource.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <array>
#include <exception>
#include <memory>
#include <utility>

namespace svc::sign_in {
namespace {

constexpr int hasher_nice = 10;
constexpr std::size_t salt_size = 16, hash_size = 32;
/// Hashes that cost more are not ours: a row of the database must not take the memory of the process.
constexpr std::size_t most_memory_kib = 1'048'576;
constexpr unsigned most_iterations = 100;

std::string unpadded_base64(std::size_t size) {
  byte_vector bytes(size);
  random_bytes(bytes);
  auto text = to_base64(bytes);
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

/// Returns a hash of no password, with the cost of real ones. Random bytes are as good as a computed hash.
std::string dummy_hash(password_hash_settings const& settings) {
  return "$argon2id$v=19$m=" + std::to_string(settings.memory_kib) + ",t=" + std::to_string(settings.iterations) +
         ",p=1$" + unpadded_base64(salt_size) + "$" + unpadded_base64(hash_size);
}

/// Takes a number between two texts off `text`.
std::optional<std::size_t> take_number(std::string_view& text, std::string_view before, char after) {
  if (!text.starts_with(before)) return std::nullopt;
  text.remove_prefix(before.size());
  auto const digits = text.substr(0, text.find(after));
  text.remove_prefix(digits.size());
  return parse_number<std::size_t>(digits);
}

/// Returns the memory in KiB that a stored hash needs, or `std::nullopt` if it is none that we verify.
std::optional<std::size_t> memory_of(std::string_view stored) {
  if (stored.size() >= crypto_pwhash_STRBYTES || stored.find('\0') != std::string_view::npos) return std::nullopt;
  constexpr std::string_view kind = "$argon2id$v=19$";
  if (!stored.starts_with(kind)) return std::nullopt;
  stored.remove_prefix(kind.size());
  auto const memory = take_number(stored, "m=", ',');
  auto const iterations = take_number(stored, ",t=", ',');
  if (!memory || !iterations || !stored.starts_with(",p=1$")) return std::nullopt;
  if (*memory > most_memory_kib || *iterations > most_iterations) return std::nullopt;
  return memory;
}

/// Returns the characters for libsodium, which takes no null pointer. An empty text may have one.
char const* characters_of(std::string_view password) {
  return password.empty() ? "" : password.data();
}

/// The memory of a hash that is being computed, as operators see it.
class hash_memory {
 public:
  hash_memory(account& memory, std::size_t kib) : memory_(memory), bytes_(kib * 1024) { memory_.charge({}, bytes_); }
  hash_memory(hash_memory const&) = delete;
  hash_memory& operator=(hash_memory const&) = delete;
  ~hash_memory() { memory_.release({}, bytes_); }

 private:
  account& memory_;
  std::size_t bytes_;
};

/// The outcome of a job, on its way to the caller.
template <class Answer>
struct job_outcome {
  std::optional<Answer> answer{};
  std::exception_ptr failure{};
};

/// Set when the caller of a job is gone; the thread then skips it.
struct waiting_caller {
  std::shared_ptr<std::atomic<bool>> gone = std::make_shared<std::atomic<bool>>(false);
  waiting_caller() = default;
  waiting_caller(waiting_caller const&) = delete;
  waiting_caller& operator=(waiting_caller const&) = delete;
  ~waiting_caller() { *gone = true; }
};

}  // namespace

account_terms password_hasher::memory_terms(password_hash_settings const& settings) {
  auto const all = settings.memory_kib * 1024 * static_cast<std::size_t>(settings.threads);
  return {.name = "password_hashes", .total = all, .project_share = all};
}

password_hasher::password_hasher(password_hash_settings const& settings, password_rules const& rules,
                                 denied_passwords denied, account& memory, metrics& counters)
    : settings_(settings),
      rules_(rules),
      denied_(std::move(denied)),
      memory_(memory),
      queue_(counters.make_gauge("svc_password_queue", "Passwords that wait to be hashed or verified")),
      full_(counters.make_counter("svc_password_queue_full_total", "Passwords that a full queue refused")),
      dummy_(dummy_hash(settings)) {
  if (sodium_init() < 0) throw std::runtime_error("libsodium does not start");
  for (int index = 0; index < settings_.threads; ++index) {
    threads_.emplace_back([this, index] {
      name_this_thread("password-" + std::to_string(index));
      work();
    });
  }
}

void password_hasher::work() {
  // Linux gives each thread its own nice value; 0 is the calling one.
  if (::setpriority(PRIO_PROCESS, 0, hasher_nice) != 0) log::warn("a password thread has no lower priority", {});
  auto const guard = asio::make_work_guard(jobs_);
  jobs_.run();
}

void password_hasher::stop() {
  if (stopped_.exchange(true)) return;
  jobs_.stop();
  for (auto& thread : threads_) thread.join();
  // The remaining jobs tell their callers that they are skipped.
  jobs_.restart();
  jobs_.poll();
}

bool password_hasher::enter() {
  auto waiting = waiting_.load();
  do {
    if (waiting >= longest_queue) return false;
  } while (!waiting_.compare_exchange_weak(waiting, waiting + 1));
  queue_.add(1);
  return true;
}

void password_hasher::leave() {
  waiting_.fetch_sub(1);
  queue_.add(-1);
}

template <class Answer, class Work>
task<result<Answer>> password_hasher::run(Work work, deadline until) {
  if (stopped_) throw unavailable("the password threads have ended");
  if (!enter()) {
    full_.add();
    co_return error(errc::overloaded, "Too many passwords are being checked. Try again in a moment.");
  }
  using outcome = job_outcome<Answer>;
  auto const answer = std::make_shared<handed_answer<outcome>>(co_await asio::this_coro::executor, until);
  waiting_caller const caller;
  asio::post(jobs_, [this, answer, until, gone = caller.gone, work = std::move(work)]() mutable {
    leave();
    if (stopped_ || *gone || until.passed()) return handed_answer<outcome>::give(answer, std::nullopt);
    outcome made;
    try {
      made.answer.emplace(work());
    } catch (...) {
      made.failure = std::current_exception();
    }
    handed_answer<outcome>::give(answer, std::move(made));
  });
  auto const made = co_await answer->wait();
  if (!made) throw unavailable("no password thread had time before the deadline");
  if (made->failure) std::rethrow_exception(made->failure);
  co_return *made->answer;
}

std::string password_hasher::hashed(secret_string const& password) const {
  hash_memory const held(memory_, settings_.memory_kib);
  std::array<char, crypto_pwhash_STRBYTES> out{};
  auto const text = password.reveal();
  if (crypto_pwhash_str(out.data(), characters_of(text), text.size(), settings_.iterations,
                        settings_.memory_kib * 1024) != 0)
    throw unavailable("no memory for the hash of a password");
  return out.data();
}

password_hasher::verification password_hasher::verified(secret_string const& password,
                                                        std::optional<std::string> const& stored) const {
  auto const memory = stored ? memory_of(*stored) : std::nullopt;
  if (stored && !memory) log::error("a stored hash of a password has an unknown form", {});
  auto const& compared = memory ? *stored : dummy_;
  auto const text = password.reveal();
  bool matches = false;
  {
    hash_memory const held(memory_, memory.value_or(settings_.memory_kib));
    matches = crypto_pwhash_str_verify(compared.c_str(), characters_of(text), text.size()) == 0 && memory;
  }
  verification out{.matches = matches};
  auto const bytes = settings_.memory_kib * 1024;
  if (matches && crypto_pwhash_str_needs_rehash(compared.c_str(), settings_.iterations, bytes) != 0)
    out.renewed = hashed(password);
  return out;
}

task<result<password_hasher::verification>> password_hasher::verify(secret_string password,
                                                                    std::optional<std::string> stored,
                                                                    deadline until) {
  return run<verification>(
      [this, password = std::move(password), stored = std::move(stored)] { return verified(password, stored); },
      until);
}

task<result<std::optional<std::string>>> password_hasher::hash(secret_string password, deadline until) {
  using new_hash = std::optional<std::string>;
  return run<new_hash>(
      [this, password = std::move(password)]() -> new_hash {
        if (denied_.contains(password.reveal())) return std::nullopt;
        return hashed(password);
      },
      until);
}

task<result<std::string>> password_hasher::hash_new(secret_string password, std::vector<std::string> known_words,
                                                    deadline until) {
  auto const refused = [this](password_verdict verdict) {
    return error(errc::validation_failed, {}, {{"/password", refusal_reason(verdict, rules_)}});
  };
  auto const verdict = judge_password(password.reveal(), rules_, {known_words.begin(), known_words.end()});
  if (verdict != password_verdict::accepted) co_return refused(verdict);
  auto const made = co_await hash(std::move(password), until);
  if (made.has_error()) co_return made.error();
  if (!*made) co_return refused(password_verdict::denied);
  co_return std::move(**made);
}

}  // namespace svc::sign_in
