import { RouterProvider } from "@tanstack/react-router";
import { useEffect } from "react";
import { keepFocus } from "./parts/focus_keeper";
import { loadLaterPages, router } from "./router";

// The first page has its data by then.
const QUIET_AFTER = 1_000;

keepFocus();

export function App() {
  useEffect(() => {
    const timer = setTimeout(loadLaterPages, QUIET_AFTER);
    return () => clearTimeout(timer);
  }, []);
  return <RouterProvider router={router} />;
}
