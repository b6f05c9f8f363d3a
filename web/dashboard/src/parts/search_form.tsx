import { type FormEvent, type ReactNode, useState } from "react";
import { Icon } from "./icon";

interface SearchFormProps {
  /** The listed things in the plural, such as `tests`. */
  things: string;
  placeholder: string;
  /** The most characters of the words. */
  most: number;
  /** The words of the address. A page gives the form another key when they change. */
  value: string | undefined;
  onSearch: (words: string | undefined) => void;
  /** Choices between the words and the button. */
  children?: ReactNode;
  /** Follows the button. `clear` empties the field. */
  rest?: (clear: () => void) => ReactNode;
}

/** The words and filters of a list. */
export function SearchForm({ things, placeholder, most, value, onSearch, children, rest }: SearchFormProps) {
  const [words, setWords] = useState(value ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(words.trim() || undefined);
  };
  return (
    <form className="filters" role="search" aria-label={`Filter ${things}`} onSubmit={submit}>
      <span className="search-box">
        <label className="vh" htmlFor={`${things}-search`}>Search {things}</label>
        <Icon name="search" />
        <input
          className="input" id={`${things}-search`} name="search" type="search" placeholder={placeholder} maxLength={most}
          value={words} onChange={(event) => setWords(event.target.value)}
        />
      </span>
      {children}
      <button className="btn" type="submit">Filter</button>
      {rest?.(() => setWords(""))}
    </form>
  );
}
