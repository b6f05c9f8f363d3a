import { Link } from "@tanstack/react-router";

/** The outage of another monitor that explains this one. Its page is found by its id, because the monitor may be any. */
export function OutageCauser({ id, name }: { id: string; name?: string }) {
  return (
    <>
      Caused by{" "}
      <Link to="/_go/$type/$id" params={{ type: "outage", id }} dir="auto">
        {name ? `the outage of ${name}` : "the outage of a monitor that it depends on"}
      </Link>
    </>
  );
}
