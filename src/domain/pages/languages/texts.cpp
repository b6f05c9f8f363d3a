#include "domain/pages/languages/texts.hpp"

namespace svc::pages {

page_texts const& texts_of(page_language language) {
  switch (language) {
    case page_language::de:
      return german;
    case page_language::en:
      return english;
    case page_language::es:
      return spanish;
    case page_language::fr:
      return french;
    case page_language::it:
      return italian;
    case page_language::ja:
      return japanese;
    case page_language::nl:
      return dutch;
    case page_language::pl:
      return polish;
    case page_language::pt:
      return portuguese;
    case page_language::zh:
      return chinese;
  }
  return english;
}

}  // namespace svc::pages
