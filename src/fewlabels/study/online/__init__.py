"""Online studies: units are asked one after another, and a running band holds however often one looks."""
