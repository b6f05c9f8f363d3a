// Measures how much a server can make a client compute in a handshake. The large keys are random numbers, so nothing
// verifies their signatures.
#include "integration/egress/fixture.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <ctime>

using namespace svc;
using namespace svc::egress;

namespace {

using key_ptr = std::shared_ptr<EVP_PKEY>;
using certificate_ptr = std::shared_ptr<X509>;

microseconds thread_cpu() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + microseconds(used.tv_nsec / 1000);
}

/// Returns an odd number of exactly `bits` bits. The product of two such numbers has as many bits as both together.
BIGNUM* odd_number(int bits) {
  BIGNUM* const out = BN_new();
  BN_rand(out, bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ODD);
  return out;
}

key_ptr made_key(char const* type, int selection, std::vector<std::pair<char const*, BIGNUM*>> const& numbers) {
  OSSL_PARAM_BLD* const builder = OSSL_PARAM_BLD_new();
  for (auto const& [name, value] : numbers) OSSL_PARAM_BLD_push_BN(builder, name, value);
  OSSL_PARAM* const parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr);
  EVP_PKEY* out = nullptr;
  EVP_PKEY_fromdata_init(context);
  REQUIRE(EVP_PKEY_fromdata(context, &out, selection, parameters) == 1);
  EVP_PKEY_CTX_free(context), OSSL_PARAM_free(parameters), OSSL_PARAM_BLD_free(builder);
  for (auto const& [name, value] : numbers) BN_free(value);
  return {out, EVP_PKEY_free};
}

key_ptr diffie_hellman_group(int bits) {
  BIGNUM* const generator = BN_new();
  BN_set_word(generator, 2);
  return made_key("DH", EVP_PKEY_KEY_PARAMETERS,
                  {{OSSL_PKEY_PARAM_FFC_P, odd_number(bits)}, {OSSL_PKEY_PARAM_FFC_G, generator}});
}

key_ptr large_rsa_key(int bits) {
  BIGNUM *const exponent = BN_new(), *const modulus = BN_new();
  BN_set_word(exponent, 65537);
  int const half = bits / 2;
  BIGNUM *const first = odd_number(bits - half), *const second = odd_number(half);
  BN_CTX* const scratch = BN_CTX_new();
  BN_mul(modulus, first, second, scratch);
  BN_CTX_free(scratch);
  return made_key("RSA", EVP_PKEY_KEYPAIR,
                  {{OSSL_PKEY_PARAM_RSA_N, modulus},
                   {OSSL_PKEY_PARAM_RSA_E, exponent},
                   {OSSL_PKEY_PARAM_RSA_D, odd_number(bits - 1)},
                   {OSSL_PKEY_PARAM_RSA_FACTOR1, first},
                   {OSSL_PKEY_PARAM_RSA_FACTOR2, second},
                   {OSSL_PKEY_PARAM_RSA_EXPONENT1, odd_number(half - 1)},
                   {OSSL_PKEY_PARAM_RSA_EXPONENT2, odd_number(half - 1)},
                   {OSSL_PKEY_PARAM_RSA_COEFFICIENT1, odd_number(half - 1)}});
}

key_ptr new_key() {
  return {EVP_EC_gen("P-256"), EVP_PKEY_free};
}

/// Returns a certificate for `key` by the issuer. The certificate may sign others.
certificate_ptr issued(std::string const& name, EVP_PKEY* key, std::string const& issuer, EVP_PKEY* pkey) {
  certificate_ptr const out(X509_new(), X509_free);
  X509_set_version(out.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), static_cast<long>(std::hash<std::string>{}(name) % 100'000));
  X509_gmtime_adj(X509_getm_notBefore(out.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), 86400);
  X509_set_pubkey(out.get(), key);
  auto const set = [](X509_NAME* target, std::string const& text) {
    X509_NAME_add_entry_by_txt(target, "CN", MBSTRING_UTF8, reinterpret_cast<unsigned char const*>(text.c_str()), -1,
                               -1, 0);
  };
  set(X509_get_subject_name(out.get()), name);
  set(X509_get_issuer_name(out.get()), issuer);
  X509_EXTENSION* const authority = X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "CA:TRUE");
  X509_add_ext(out.get(), authority, -1);
  X509_EXTENSION_free(authority);
  REQUIRE(X509_sign(out.get(), pkey, EVP_sha256()) > 0);
  return out;
}

template <class Write>
std::string pem_text(Write write) {
  BIO* const bio = BIO_new(BIO_s_mem());
  write(bio);
  char* bytes = nullptr;
  auto const size = BIO_get_mem_data(bio, &bytes);
  std::string out(bytes, static_cast<std::size_t>(size));
  BIO_free(bio);
  return out;
}

std::string pem_text(certificate_ptr const& certificate) {
  return pem_text([&](BIO* stream) { PEM_write_bio_X509(stream, certificate.get()); });
}

std::string pem_text(key_ptr const& key) {
  return pem_text(
      [&](BIO* stream) { PEM_write_bio_PrivateKey(stream, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

void use_certificate(SSL_CTX* context, certificate_ptr const& certificate, key_ptr const& key) {
  // This does not go through PEM, because `context_of` has set another certificate before.
  REQUIRE(SSL_CTX_use_certificate(context, certificate.get()) == 1);
  REQUIRE(SSL_CTX_use_PrivateKey(context, key.get()) == 1);
}

void add_to_chain(SSL_CTX* context, certificate_ptr const& certificate) {
  X509_up_ref(certificate.get());
  REQUIRE(SSL_CTX_add_extra_chain_cert(context, certificate.get()) == 1);
}

/// The result of a request to such a server, and its cost for the client's thread.
struct handshake_result {
  http_answer got;
  microseconds cpu{};
};

handshake_result request_to(std::function<void(SSL_CTX*)> adjust, tls_choice choice) {
  auto const shown = make_throwaway_ca("DNS:a.test");
  http_server server({.tls = &shown, .adjust = std::move(adjust)}, saying(answer_of(200)));
  egress_fixture fixture;
  auto request = to(server.url("/", "a.test"));
  request.tls = std::move(choice);
  auto const before = thread_cpu();
  handshake_result out{.got = fixture.fetch(request), .cpu = {}};
  out.cpu = thread_cpu() - before;
  return out;
}

}  // namespace

TEST_CASE("a Diffie-Hellman group of the server has at most 4096 bits") {
  // The exchange signs by RSA.
  key_ptr const rsa(EVP_RSA_gen(2048), EVP_PKEY_free);
  auto const certificate = issued("a.test", rsa.get(), "a.test", rsa.get());
  for (auto const& [bits, wanted] : {std::pair{2048, ""}, {4096, ""}, {4097, "tls_failed"}, {10'000, "tls_failed"}}) {
    CAPTURE(bits);
    auto const [got, cpu] = request_to(
        [&](SSL_CTX* context) {
          use_certificate(context, certificate, rsa);
          SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
          SSL_CTX_set_cipher_list(context, "DHE-RSA-AES128-GCM-SHA256");
          auto const group = diffie_hellman_group(bits);
          EVP_PKEY_up_ref(group.get());
          REQUIRE(SSL_CTX_set0_tmp_dh_pkey(context, group.get()) == 1);
        },
        {.verify = false});
    CHECK(code_of(got.error) == wanted);
    if (bits > 4096) CHECK(got.message.find("group has more than 4096 bits") != std::string::npos);
    MESSAGE("CPU of the client in µs with a group of ", bits, " bits: ", cpu.count());
    CHECK(cpu < 100ms);
  }
}

TEST_CASE("the groups of TLS 1.3 that are offered have at most 4096 bits") {
  using row = std::pair<std::string, std::string>;
  for (auto const& [group, wanted] :
       {row{"ffdhe4096", ""}, {"P-521", ""}, {"ffdhe6144", "tls_failed"}, {"ffdhe8192", "tls_failed"}}) {
    CAPTURE(group);
    auto const [got, cpu] = request_to(
        [&](SSL_CTX* context) { REQUIRE(SSL_CTX_set1_groups_list(context, group.c_str()) == 1); }, {.verify = false});
    CHECK(code_of(got.error) == wanted);
    MESSAGE("CPU of the client in µs with ", group, ": ", cpu.count());
    CHECK(cpu < 100ms);
  }
}

TEST_CASE("a chain has no key of more than 8192 bits, and at most six certificates in between") {
  auto const root_key = new_key();
  auto const root = issued("root", root_key.get(), "root", root_key.get());
  auto const with_large = [&](int bits) {
    return request_to(
        [&](SSL_CTX* context) {
          auto const key = new_key();
          use_certificate(context, issued("a.test", key.get(), "root", root_key.get()), key);
          auto const large = large_rsa_key(bits);
          add_to_chain(context, issued("large", large.get(), "root", root_key.get()));
        },
        {.authorities = pem_text(root)});
  };
  // The key signs nothing in the chain.
  CHECK(code_of(with_large(8192).got.error) == "");
  auto const refused = with_large(8193).got;
  CHECK(code_of(refused.error) == "certificate_untrusted");
  CHECK(refused.message.find("a key in its chain is too large") != std::string::npos);
  for (auto const& [count, wanted] : {std::pair{6, ""}, {7, "certificate_untrusted"}}) {
    CAPTURE(count);
    auto const [got, cpu] = request_to(
        [&](SSL_CTX* input) {
          auto agent = root_key;
          std::string issuer = "root";
          std::vector<certificate_ptr> between;
          for (int i = 0; i < count; ++i) {
            auto const key = new_key();
            auto const name = "between " + std::to_string(i);
            between.insert(between.begin(), issued(name, key.get(), issuer, agent.get()));
            agent = key, issuer = name;
          }
          auto const key = new_key();
          use_certificate(input, issued("a.test", key.get(), issuer, agent.get()), key);
          for (auto const& each : between) add_to_chain(input, each);
        },
        {.authorities = pem_text(root)});
    CHECK(code_of(got.error) == wanted);
  }
}

TEST_CASE("a client's own key has at most 4096 bits, since it signs") {
  auto const agent = new_key();
  for (auto const bits : {4096, 4097, 16'384}) {
    CAPTURE(bits);
    auto const key = large_rsa_key(bits);
    auto const [got, cpu] =
        request_to({}, {.verify = false,
                        .certificate = pem_text(issued("client", key.get(), "client", agent.get())),
                        .key = pem_text(key)});
    if (bits > 4096) {
      CHECK(code_of(got.error) == "target_invalid");
      CHECK(got.message.find("key of the client certificate has more than 4096 bits") != std::string::npos);
    } else {
      // Such a key cannot make a valid signature, and the server says so.
      CHECK(code_of(got.error) != "target_invalid");
    }
    MESSAGE("CPU of the client in µs with an own key of ", bits, " bits: ", cpu.count());
    CHECK(cpu < 100ms);
  }
}
