fill_history() { :; }
