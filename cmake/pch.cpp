// The precompiled header's own translation unit; modules reuse what it makes.
