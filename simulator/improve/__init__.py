"""From a failing run to a change of the client's files that is proved on users who never saw it."""
