import { type QueryKey, keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { FieldNote } from "./field";
import { Icon } from "./icon";
import type { Found } from "./search_pages";

export interface Choice {
  id: string;
  word: string;
  /** Tells equal names apart, such as a type or an address. */
  note?: string;
}

/** Rows that a list shows before it asks for more words. */
export const SHOWN = 20;

interface SearchSelectProps {
  label: string;
  name: string;
  hideLabel?: boolean;
  placeholder: string;
  hint?: string;
  error?: string;
  id?: string;
  /** The start of the keys of the queries. */
  queryKey: QueryKey;
  /** Asks the service for choices with these words; an empty text asks for the first ones. */
  search: (words: string, signal: AbortSignal) => Promise<Found<Choice>>;
  /** The chosen one. Without it the field is empty again after each choice. */
  chosen?: Choice;
  onChoose: (choice: Choice) => void;
}

/** A field that finds one of many things by words, so that none of them is out of reach. */
export function SearchSelect(props: SearchSelectProps) {
  const { label, name, hideLabel, placeholder, hint, error, id, queryKey, search, chosen, onChoose } = props;
  const note = `${useId()}-note`;
  const [text, setText] = useState(chosen?.word ?? "");
  const [choices, setChoices] = useState(0);
  const typed = useDeferredValue(text.trim());
  // The name of the chosen one is no search: the list starts with all of them.
  const words = typed === chosen?.word ? "" : typed;
  const found = useQuery({
    queryKey: [...queryKey, "search", words], queryFn: ({ signal }) => search(words, signal), placeholderData: keepPreviousData,
  });
  const rows = found.data?.rows ?? [];
  const choose = (key: unknown) => {
    const choice = rows.find((row) => row.id === key);
    if (!choice) return;
    onChoose(choice);
    // A new field is closed and shows the chosen one; a change of the text would open the list again.
    setText(chosen === undefined ? "" : choice.word);
    setChoices((count) => count + 1);
  };
  const state = found.error
    ? `The list could not be loaded. ${found.error.message}`
    : !found.data ? "Loading…"
    : rows.length === 0 ? "Nothing has this name."
    : found.data.more ? "There are more: type a part of the name." : "";
  return (
    <ComboBox
      key={choices} autoFocus={choices > 0} className="field" inputValue={text} onInputChange={setText} onChange={choose}
      value={null} items={rows} menuTrigger="input" allowsEmptyCollection allowsCustomValue shouldFocusWrap
      defaultFilter={() => true} isInvalid={Boolean(error)}
      aria-label={hideLabel ? label : undefined} aria-describedby={error || hint ? note : undefined}
      onBlur={() => setText(chosen?.word ?? "")}
    >
      {!hideLabel && <Label className="label">{label}</Label>}
      <span className="select-box">
        <Input className="input" id={id} name={name} placeholder={placeholder} autoComplete="off" maxLength={255} />
        <Button className="select-open" aria-label={`Show choices of ${label}`}><Icon name="down" /></Button>
      </span>
      <FieldNote id={note} hint={hint} error={error} />
      <Popover className="popover" placement="bottom start" offset={4}>
        <ListBox
          className="menu search-list" items={rows}
          renderEmptyState={() => <p className="menu-head">{state}</p>}
        >
          {(row: Choice) => (
            <ListBoxItem className="menu-item" id={row.id} textValue={row.word}>
              <bdi className="clip">{row.word}</bdi>
              {row.note && <span className="faint clip push">{row.note}</span>}
            </ListBoxItem>
          )}
        </ListBox>
        {rows.length > 0 && state && <p className="menu-head search-more">{state}</p>}
      </Popover>
      <span className="vh" role="status">{found.error ? state : ""}</span>
    </ComboBox>
  );
}
