import { RouterProvider } from "@tanstack/react-router";
import { useEffect } from "react";
import { prepareLater } from "./parts/later";
import { router } from "./router";

export { readFirst } from "./pages/first_reads";

// The first page has its data by then.
const QUIET_AFTER = 1_000;

export function App() {
  useEffect(() => {
    const timer = setTimeout(prepareLater, QUIET_AFTER);
    return () => clearTimeout(timer);
  }, []);
  return <RouterProvider router={router} />;
}
