"""Two stored runs paired and tested: what fell, what rose, and whether that may be chance."""
