#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>

extern "C" void svc_mutation_case(unsigned number);

namespace {

// Writes a line for each test case into the file that TEST_MUTATION_CASES names: its number, seconds, result and
// title.
class mutation_listener : public doctest::IReporter {
 public:
  explicit mutation_listener(doctest::ContextOptions const&) {
    if (auto const* const path = std::getenv("TEST_MUTATION_CASES")) output_.open(path, std::ios::app);
  }

  void test_case_start(doctest::TestCaseData const& test_case) override {
    title_ = test_case.m_name;
    begin_ = std::chrono::steady_clock::now();
    svc_mutation_case(++number_);
    if (output_) output_ << number_ << "\tbegin\t0\t" << title_ << std::endl;
  }
  void test_case_end(doctest::CurrentTestCaseStats const& stats) override {
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (output_) {
      output_ << number_ << '\t' << (stats.testCaseSuccess ? "passed" : "failed") << '\t' << seconds << '\t' << title_
              << std::endl;
    }
    svc_mutation_case(0);
  }

  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const&) override {}
  void test_case_reenter(doctest::TestCaseData const&) override {}
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}

 private:
  std::ofstream output_;
  std::string title_;
  std::chrono::steady_clock::time_point begin_;
  unsigned number_ = 0;
};

REGISTER_LISTENER("mutation", 1, mutation_listener);

}  // namespace
