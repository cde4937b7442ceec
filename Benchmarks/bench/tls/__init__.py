"""TLS between the sides and the sink: certificates, and the tables of the group `tls`."""
