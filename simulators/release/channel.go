package release

func (s *Server) channelOf(name string) (Channel, *failure) {
	c, ok := s.world.Channels[name]
	if !ok {
		return c, failf("missing", "Channel %s not found", name)
	}
	return c, nil
}

func (s *Server) showChannel(name string) (string, *failure) {
	c := s.world.Channels[name]
	out := struct {
		Channel  string  `json:"channel"`
		Locked   bool    `json:"locked"`
		LockedBy *string `json:"locked_by"`
	}{Channel: name, Locked: c.Locked}
	if c.LockedBy != "" {
		out.LockedBy = &c.LockedBy
	}
	return marshal(out), nil
}

func (s *Server) getChannel(a *arguments, _ float64) (string, *failure) {
	if _, f := s.channelOf(a.Channel); f != nil {
		return "", f
	}
	return s.showChannel(a.Channel)
}

func (s *Server) lock(a *arguments, _ float64) (string, *failure) {
	c, f := s.channelOf(a.Channel)
	if f == nil && c.Locked {
		f = failf("locked", "Channel %s is already locked by %s", a.Channel, c.LockedBy)
	}
	if f != nil {
		return "", f
	}
	s.world.Channels[a.Channel] = Channel{Locked: true, LockedBy: a.Owner}
	return s.showChannel(a.Channel)
}

func (s *Server) unlock(a *arguments, _ float64) (string, *failure) {
	c, f := s.channelOf(a.Channel)
	switch {
	case f != nil:
	case !c.Locked:
		f = failf("unlocked", "Channel %s is not locked", a.Channel)
	case c.LockedBy != a.Owner:
		f = failf("owner", "Channel %s is locked by another owner; only its owner can unlock it, see get_channel", a.Channel)
	}
	if f != nil {
		return "", f
	}
	s.world.Channels[a.Channel] = Channel{}
	return s.showChannel(a.Channel)
}
